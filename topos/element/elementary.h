// Owns the elementary functions of the float elements: exp, log, tanh and sqrt with the same bits in every build.
#pragma once

#include "topos/element/elementary_f32.h"
#include "topos/element/elementary_f64.h"
