#include "base/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/clock.h"
#include "base/error.h"

namespace ycsb {
namespace {

void Raise(int event_fd) {
  const uint64_t one = 1;
  // Fails only where 2^64 notices wait already, and then its reader is woken anyway.
  if (write(event_fd, &one, sizeof(one)) < 0) return;
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  signal_fd_ = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
  event_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  end_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (signal_fd_ < 0 || event_fd_ < 0 || end_fd_ < 0) {
    throw Failure(std::string("signals cannot be watched: ") + std::strerror(errno) +
                  "; raise the limit of open files (ulimit -n)");
  }
  listener_ = std::thread([this] { Listen(); });
}

Interrupt::~Interrupt() {
  Raise(end_fd_);
  listener_.join();
  close(signal_fd_);
  close(event_fd_);
  close(end_fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::WaitUntil(int64_t deadline_ns) {
  if (signal() != 0) return;
  const int64_t left = std::max<int64_t>(0, deadline_ns - NowNs());
  timespec timeout{};
  timeout.tv_sec = left / kNsPerSecond;
  timeout.tv_nsec = left % kNsPerSecond;
  pollfd watched{event_fd_, POLLIN, 0};
  if (ppoll(&watched, 1, &timeout, nullptr) <= 0) return;
  uint64_t notices = 0;
  if (read(event_fd_, &notices, sizeof(notices)) < 0) return;
}

void Interrupt::Notify() { Raise(event_fd_); }

void Interrupt::Listen() {
  std::array<pollfd, 2> watched{{{signal_fd_, POLLIN, 0}, {end_fd_, POLLIN, 0}}};
  while (watched[1].revents == 0) {
    if (poll(watched.data(), watched.size(), -1) < 0 || watched[0].revents == 0) continue;
    signalfd_siginfo info{};
    if (read(signal_fd_, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) continue;
    signal_.store(static_cast<int>(info.ssi_signo));
    Notify();
    // The next signal finds this thread, and does what it did before.
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    watched[0] = {-1, 0, 0};
  }
}

}  // namespace ycsb
