// Calls that the check of symbols must find.
#include <cmath>

float planted_tanh(float x) { return std::tanh(x); }
double planted_power(double x, double y) { return std::pow(x, y); }
