module {
  func.func @main() -> tensor<2x3xf32> {
    %a = stablehlo.constant dense<> : tensor<2x0xf32>
    %b = stablehlo.constant dense<> : tensor<0x3xf32>
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
    return %c : tensor<2x3xf32>
  }
}
