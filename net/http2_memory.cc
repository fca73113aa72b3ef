#include "net/http2_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace weir::net {

Http2Memory::Http2Memory()
    : hooks_{this,
             [](std::size_t size, void* self) {
               return static_cast<Http2Memory*>(self)->Allocate(size);
             },
             [](void* block, void* self) { static_cast<Http2Memory*>(self)->Free(block); },
             [](std::size_t count, std::size_t size, void* self) -> void* {
               if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size) {
                 return nullptr;
               }
               void* block = static_cast<Http2Memory*>(self)->Allocate(count * size);
               return block == nullptr ? nullptr : std::memset(block, 0, count * size);
             },
             [](void* block, std::size_t size, void* self) {
               return static_cast<Http2Memory*>(self)->Resize(block, size);
             }} {}

Http2Memory::~Http2Memory() {
  for (Header* list : free_) {
    while (list != nullptr) {
      Header* next = list->next;
      std::free(list);
      list = next;
    }
  }
}

void* Http2Memory::Allocate(std::size_t size) {
  const std::size_t size_class = ClassOf(size);
  Header* block = nullptr;
  if (size_class <= kClasses && free_[size_class] != nullptr) {
    block = free_[size_class];
    free_[size_class] = block->next;
  } else {
    const std::size_t room = size_class <= kClasses ? size_class * kStep : size;
    if (room > std::numeric_limits<std::size_t>::max() - sizeof(Header)) return nullptr;
    block = static_cast<Header*>(std::malloc(sizeof(Header) + room));
    if (block == nullptr) return nullptr;
    ++system_allocations_;
    block->size_class = size_class;
  }
  return block + 1;
}

void Http2Memory::Free(void* memory) {
  if (memory == nullptr) return;
  Header* block = static_cast<Header*>(memory) - 1;
  if (block->size_class > kClasses) {
    std::free(block);
    return;
  }
  block->next = free_[block->size_class];
  free_[block->size_class] = block;
}

void* Http2Memory::Resize(void* memory, std::size_t size) {
  if (memory == nullptr) return Allocate(size);
  Header* block = static_cast<Header*>(memory) - 1;
  const std::size_t had = block->size_class * kStep;
  if (block->size_class <= kClasses && size <= had) return memory;
  void* moved = Allocate(size);
  if (moved == nullptr) return nullptr;
  // For a large block the rounded size may exceed what it holds by less than a step.
  const std::size_t holds = block->size_class <= kClasses ? had : had - kStep + 1;
  std::memcpy(moved, memory, std::min(holds, size));
  Free(memory);
  return moved;
}

}  // namespace weir::net
