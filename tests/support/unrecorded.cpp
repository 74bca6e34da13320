// Emission in builds whose modules nobody judges.
#include "support/emitted.h"

namespace topos::test {

std::string emitted(const Plan& plan, const EmitOptions& options, const About&) { return plan.emit_stablehlo(options); }

}  // namespace topos::test
