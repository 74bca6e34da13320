module {
  func.func @main() -> tensor<i1> {
    %tiny = stablehlo.constant dense<1.0e-40> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %barred:2 = stablehlo.optimization_barrier %tiny, %zero : tensor<f32>, tensor<f32>
    %right = stablehlo.compare GT, %barred#0, %barred#1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %right : tensor<i1>
  }
}
