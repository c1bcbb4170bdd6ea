#include "fugu/threads/thread_pool.hpp"

#include <pthread.h>

#include "support/testing.hpp"

namespace fugu::threads {
namespace {

// While it lives, the process cannot start a thread: the stack size for new ones exceeds the address space.
class NoThreads {
 public:
  NoThreads() {
    constexpr auto kImpossible = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::uint64_t{1} << 60, std::numeric_limits<std::size_t>::max() / 4 * 3));
    pthread_getattr_default_np(&before_);
    pthread_attr_t impossible;
    pthread_getattr_default_np(&impossible);
    pthread_attr_setstacksize(&impossible, kImpossible);
    pthread_setattr_default_np(&impossible);
    pthread_attr_destroy(&impossible);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

constexpr unsigned kThreadCounts[] = {1, 2, 7};

std::vector<int> counts_of_turns(ThreadPool& pool, std::size_t count) {
  std::vector<std::atomic<int>> counts(count);
  pool.for_each(count, [&](std::size_t i) { ++counts[i]; });
  return {counts.begin(), counts.end()};
}

void expect_usable(ThreadPool& pool) {
  EXPECT_EQ(counts_of_turns(pool, 1000), std::vector<int>(1000, 1));
}

// How long threads stay awake.
class ThreadPoolTest : public testing::TestWithParam<std::chrono::microseconds> {};
INSTANTIATE_TEST_SUITE_P(Sleeping, ThreadPoolTest, testing::Values(std::chrono::microseconds(0)));
INSTANTIATE_TEST_SUITE_P(Awake, ThreadPoolTest, testing::Values(std::chrono::microseconds(200)));

TEST_P(ThreadPoolTest, TakesEachTurnOnce) {
  for (const unsigned threads : kThreadCounts) {
    ThreadPool pool(threads, GetParam());
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t count : {0u, 1u, 2u, 3u, 1000u})
      EXPECT_EQ(counts_of_turns(pool, count), std::vector<int>(count, 1));
  }
}

TEST_P(ThreadPoolTest, RangesCoverEachTurnOnce) {
  ThreadPool pool(3, GetParam());
  for (const std::size_t count : {0u, 1u, 99u, 100u, 101u, 577u}) {
    std::vector<std::atomic<int>> counts(count);
    std::atomic<unsigned> ranges = 0;
    pool.for_ranges(count, 100, [&](std::size_t first, std::size_t last) {
      EXPECT_LE(last - first, 100u);
      ++ranges;
      for (std::size_t i = first; i < last; ++i) ++counts.at(i);
    });
    EXPECT_EQ(std::vector<int>(counts.begin(), counts.end()), std::vector<int>(count, 1)) << count;
    EXPECT_EQ(ranges, (count + 99) / 100);
  }
}

TEST_P(ThreadPoolTest, TellsATurnOfSharedThreads) {
  EXPECT_FALSE(ThreadPool::in_shared_turn());
  for (const unsigned threads : kThreadCounts) {
    for (const std::size_t count : {1u, 100u}) {
      std::atomic<int> shared = 0;
      ThreadPool(threads).for_each(count, [&](std::size_t) {
        ThreadPool(1).for_each(1, [&](std::size_t) { shared += ThreadPool::in_shared_turn() ? 1 : 0; });
      });
      EXPECT_EQ(shared, threads > 1 && count > 1 ? 100 : 0);
    }
  }
  EXPECT_FALSE(ThreadPool::in_shared_turn());
}

TEST_P(ThreadPoolTest, GoesOnWithTheThreadsItHas) {
  ThreadPool pool(4, GetParam());
  {
    const NoThreads none;
    ASSERT_THROW(std::thread([] {}), std::system_error) << "this test would prove nothing";
    EXPECT_EQ(counts_of_turns(pool, 100), std::vector<int>(100, 1));
  }
  expect_usable(pool);
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_P(ThreadPoolTest, StartsNoThreadBeforeThereIsWorkForIt) {
  const std::ptrdiff_t before = threads_of_this_process();
  ThreadPool pool(7, GetParam());
  EXPECT_EQ(counts_of_turns(pool, 1), std::vector<int>(1, 1));
  EXPECT_LE(threads_of_this_process(), before);
  expect_usable(pool);
}

TEST_P(ThreadPoolTest, HandsOnTheExceptionOfOneTurn) {
  for (const unsigned threads : kThreadCounts) {
    ThreadPool pool(threads, GetParam());
    for (const std::size_t failing : {0u, 1u, 499u, 999u}) {
      try {
        pool.for_each(1000, [&](std::size_t i) {
          if (i == failing) throw std::out_of_range(std::to_string(i));
        });
        FAIL() << "no exception of turn " << failing;
      } catch (const std::out_of_range& error) {
        EXPECT_EQ(error.what(), std::to_string(failing));
      }
      expect_usable(pool);
    }
  }
}

TEST_P(ThreadPoolTest, HandsOnTheExceptionOfTheOnlyTurn) {
  ThreadPool pool(4, GetParam());
  EXPECT_THROW(pool.for_each(1, [](std::size_t) { throw std::out_of_range("0"); }), std::out_of_range);
  expect_usable(pool);
}

// Every thread fails at the same time, the lowest turn last. Its failure is thrown, and no thread keeps one.
TEST_P(ThreadPoolTest, HandsOnTheExceptionOfTheLowestTurn) {
  for (const unsigned threads : kThreadCounts) {
    ThreadPool pool(threads, GetParam());
    std::atomic<unsigned> thrown = 0;
    std::atomic<unsigned> waiting = 0;
    const auto turn = [&](std::size_t i) {
      for (++waiting; waiting < threads;) std::this_thread::yield();
      while (i == 0 && thrown + 1 < threads) std::this_thread::yield();
      ++thrown;
      throw std::out_of_range(std::to_string(i));
    };
    try {
      pool.for_each(threads, turn);
      ADD_FAILURE() << "no exception";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "0");
    }
    EXPECT_EQ(thrown, threads);
    expect_usable(pool);
  }
}

TEST_P(ThreadPoolTest, BeginsNoTurnAfterAnException) {
  ThreadPool pool(1, GetParam());
  std::size_t begun = 0;
  EXPECT_THROW(pool.for_each(10,
                             [&](std::size_t i) {
                               ++begun;
                               if (i == 3) throw std::out_of_range("3");
                             }),
               std::out_of_range);
  EXPECT_EQ(begun, 4u);
}

// Objects that a turn uses may no longer exist after for_each has thrown.
TEST_P(ThreadPoolTest, NoTurnRunsOnWhenTheExceptionComesOut) {
  ThreadPool pool(4, GetParam());
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> inside = 0;
    std::atomic<bool> failing = false;
    const auto turn = [&](std::size_t i) {
      ++inside;
      if (i == 0) {
        while (inside < 2) std::this_thread::yield();
        failing = true;
        --inside;
        throw std::out_of_range("0");
      }
      while (!failing) std::this_thread::yield();
      for (int later = 0; later < 100; ++later) std::this_thread::yield();
      --inside;
    };
    EXPECT_THROW(pool.for_each(8, turn), std::out_of_range);
    ASSERT_EQ(inside, 0);
  }
}

// More than one caller, and still no more threads at work than the pool has.
TEST_P(ThreadPoolTest, CountsItsCallersAmongItsThreads) {
  for (const unsigned threads : {2u, 3u}) {
    ThreadPool pool(threads, GetParam());
    std::atomic<unsigned> inside = 0;
    std::atomic<unsigned> most = 0;
    const auto turn = [&](std::size_t) {
      const unsigned now = ++inside;
      for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      for (int later = 0; later < 100; ++later) std::this_thread::yield();
      --inside;
    };
    {
      std::vector<std::jthread> callers;
      for (int caller = 0; caller < 5; ++caller)
        callers.emplace_back([&] {
          for (int round = 0; round < 20; ++round) pool.for_each(8, turn);
        });
    }
    EXPECT_LE(most, threads);
    expect_usable(pool);
  }
}

TEST_P(ThreadPoolTest, TakesLoopsWithinTurns) {
  for (const unsigned threads : kThreadCounts) {
    ThreadPool pool(threads, GetParam());
    std::vector<std::atomic<int>> counts(20 * 30);
    pool.for_each(20,
                  [&](std::size_t i) { pool.for_each(30, [&](std::size_t j) { ++counts[30 * i + j]; }); });
    EXPECT_EQ(std::vector<int>(counts.begin(), counts.end()), std::vector<int>(20 * 30, 1));
    expect_usable(pool);
  }
}

TEST_P(ThreadPoolTest, AnExceptionReachesItsOwnCallerOnly) {
  ThreadPool pool(3, GetParam());
  std::jthread other([&pool] {
    for (int round = 0; round < 100; ++round)
      EXPECT_THROW(pool.for_each(20, [](std::size_t) { throw std::out_of_range("other"); }),
                   std::out_of_range);
  });
  for (int round = 0; round < 100; ++round) expect_usable(pool);
}

}  // namespace
}  // namespace fugu::threads
