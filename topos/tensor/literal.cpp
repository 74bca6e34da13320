#include "topos/tensor/literal.h"

#include <fmt/format.h>

#include "topos/tensor/reference.h"

namespace topos {
namespace {

void demand_fit(const Number& number, ElementType element) {
  if (!number.fits(element))
    throw Error(ErrorKind::type, "Literal", fmt::format("{} is not a number of {}", number.text(), element.name()),
                {std::string(element.name())});
}

}  // namespace

Literal::Literal(const Literal& other)
    : number_(other.number_), tensor_(other.tensor_), braces_(other.braces_), copied_(true) {}

Literal::Literal(std::initializer_list<Literal> items) : number_(0) {
  if (items.size() == 0)
    throw Error(ErrorKind::argument, "Literal", "empty braces hold no shape: write Tensor::from(shape, {}) instead");
  auto braces = std::make_shared<Braces>();
  std::optional<Shape> inner;
  for (const auto& item : items) {
    if (item.tensor_ || item.copied_)
      throw Error(ErrorKind::argument, "Literal", "braces hold numbers and braces, not tensors or variables");
    const auto shape = item.shape();
    if (inner && !(shape == *inner))
      throw Error(ErrorKind::argument, "Literal",
                  fmt::format("ragged braces: {} stands beside {}", shape.text(), inner->text()));
    inner = shape;
    if (item.braces_)
      braces->numbers.insert(braces->numbers.end(), item.braces_->numbers.begin(), item.braces_->numbers.end());
    else
      braces->numbers.push_back(item.number_);
  }
  braces->shape = inner->with(0, static_cast<Extent>(items.size()));
  braces_ = std::move(braces);
}

Shape Literal::shape() const {
  if (tensor_) return tensor_->shape();
  return braces_ ? braces_->shape : Shape{};
}

Tensor Literal::tensor(ElementType element) const {
  if (tensor_) {
    if (tensor_->element() == element) return *tensor_;
    const TensorType wanted{element, tensor_->shape()};
    throw Error(
        ErrorKind::type, "Literal",
        fmt::format("a tensor {} stands where {} is wanted: convert it", tensor_->type().text(), element.name()),
        {tensor_->type().text(), wanted.text()});
  }
  if (!braces_) return Tensor::full({element, {}}, number_);
  std::byte* data = nullptr;
  auto result = Tensor::uninitialised({element, braces_->shape}, data);
  for (const auto& number : braces_->numbers) {
    demand_fit(number, element);
    store(number, element, data);
    data += element.size();
  }
  return result;
}

Tensor Literal::fitted(const TensorType& type) const {
  if (is_number()) return Tensor::full(type, number_);
  auto result = tensor(type.element);
  if (!(result.shape() == type.shape))
    throw Error(ErrorKind::type, "Literal",
                fmt::format("{} stands where {} is wanted", result.type().text(), type.text()),
                {result.type().text(), type.text()});
  return result;
}

}  // namespace topos
