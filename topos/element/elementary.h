// Owns the elementary functions of the float elements, with the same bits in every build.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f32_erf.h"
#include "topos/element/elementary_f32_power.h"
#include "topos/element/elementary_f32_trig.h"
#include "topos/element/elementary_f64.h"
#include "topos/element/elementary_f64_erf.h"
#include "topos/element/elementary_f64_power.h"
#include "topos/element/elementary_f64_trig.h"
