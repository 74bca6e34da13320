module {
  func.func @main() -> tensor<2x1xf32> {
    %x = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
    %one = stablehlo.constant dense<1.0> : tensor<1xf32>
    %y:3 = "stablehlo.batch_norm_training"(%x, %one, %one) {epsilon = 1.0e-05 : f32, feature_index = 1 : i64} : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
    return %y#0 : tensor<2x1xf32>
  }
}
