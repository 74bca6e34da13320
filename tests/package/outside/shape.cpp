// Uses the lowest folders of the library alone, which are quick to build.
#include <topos/type/shape.h>

int main() { return topos::Shape{2, 3}.volume() == 6 ? 0 : 1; }
