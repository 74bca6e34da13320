// Whether a sanitizer watches: it brings allocation functions of its own and makes everything ten times as long.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOPOS_TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TOPOS_TEST_SANITIZED true
#endif
#endif
#ifndef TOPOS_TEST_SANITIZED
#define TOPOS_TEST_SANITIZED false
#endif
