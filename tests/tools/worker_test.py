"""The client of an engine's process: crashes, time-outs, restarts."""

import os
import signal
import threading
import time
import unittest

import support
import numpy as np

from judges.worker import EngineCrash, EngineError, EngineTimeout, Slot, Worker

ONE = np.array([1.0, 2.0], np.float32)
NORM = [np.ones((2, 3), np.float32), np.ones(3, np.float32)]


class Client(unittest.TestCase):
    def setUp(self):
        self.worker = Worker("interpreter", timeout=60)
        self.addCleanup(self.worker.close)

    def test_a_crash_tells_signal_and_reason_and_the_worker_starts_again(self):
        program = self.worker.load(support.DOUBLE)
        self.worker.put(0, ONE)
        with self.assertRaises(EngineCrash) as crash:
            self.worker.run(self.worker.load(support.CRASHES), NORM)
        self.assertEqual((crash.exception.engine, crash.exception.code), ("interpreter", -6))
        self.assertRegex(str(crash.exception), r"signal 6 \(SIGABRT\).*batch_norm_training is unsupported")
        self.assertEqual(self.worker.run(program, [ONE])[0].tolist(), [2.0, 4.0])  # loaded again by itself
        self.assertEqual(self.worker.starts, 2)
        with self.assertRaisesRegex(EngineError, "slot 0 holds nothing"):
            self.worker.get(0)

    def test_no_answer_in_time_is_a_timeout_and_the_worker_starts_again(self):
        program = self.worker.load(support.NEVER_ENDS)
        begin = time.monotonic()
        with self.assertRaisesRegex(EngineTimeout, "interpreter: no answer within 0.5 s"):
            self.worker.run(program, [], timeout=0.5)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(self.worker.run(self.worker.load(support.DOUBLE), [ONE])[0].tolist(), [2.0, 4.0])

    def test_a_request_that_is_not_taken_off_the_pipe_times_out(self):
        self.worker.load(support.DOUBLE)
        os.kill(self.worker._process.pid, signal.SIGSTOP)
        with self.assertRaises(EngineTimeout):
            self.worker.put(0, np.zeros(1 << 23, np.float32), timeout=0.5)
        self.worker.put(0, ONE)
        self.assertEqual(self.worker.get(0).tolist(), [1.0, 2.0])

    def test_death_between_requests_is_a_crash_of_the_next(self):
        program = self.worker.load(support.DOUBLE)
        self.worker._process.kill()
        self.worker._process.wait()
        with self.assertRaisesRegex(EngineCrash, "SIGKILL"):
            self.worker.run(program, [ONE])
        self.assertEqual(self.worker.run(program, [ONE])[0].tolist(), [2.0, 4.0])

    def test_a_program_of_an_earlier_process_is_dropped_already(self):
        program = self.worker.load(support.DOUBLE)
        self.worker.close()
        self.worker.drop(program)
        self.assertEqual(self.worker.starts, 1)

    def test_large_tensors_pass_both_ways(self):
        array = np.arange(1 << 21, dtype=np.float64)
        self.worker.put(0, array)
        self.assertTrue((self.worker.get(0) == array).all())

    def test_a_worker_in_each_of_several_threads(self):
        results = {}

        def work(number):
            with Worker("interpreter") as worker:
                program = worker.load(support.DOUBLE)
                results[number] = [worker.run(program, [ONE * k])[0].tolist() for k in range(20)]

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {number: [[2.0 * k, 4.0 * k] for k in range(20)] for number in range(3)})

    def test_a_timeout_that_is_none_is_refused(self):
        for seconds in (0, -1, 1e9):
            with self.assertRaisesRegex(ValueError, "time-out"):
                self.worker.load(support.DOUBLE, timeout=seconds)

    def test_a_slot_without_a_process_is_not_there(self):
        with self.assertRaisesRegex(EngineError, "slot 3 holds nothing"):
            self.worker.run(self.worker.load(support.DOUBLE), [Slot(3)])


if __name__ == "__main__":
    unittest.main()
