module {
  func.func @main() -> tensor<i1> {
    %ones = stablehlo.constant dense<1.0> : tensor<300xbf16>
    %zero = stablehlo.constant dense<0.0> : tensor<bf16>
    %count = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<300xbf16>, tensor<bf16>) -> tensor<bf16>
    %wanted = stablehlo.constant dense<300.0> : tensor<bf16>
    %right = stablehlo.compare EQ, %count, %wanted, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    return %right : tensor<i1>
  }
}
