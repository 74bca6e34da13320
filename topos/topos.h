// Everything a program needs: both public maps.
#pragma once
#include "topos/compiler.h"
#include "topos/model.h"
