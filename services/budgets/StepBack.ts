import { readlinkSync } from "node:fs"
import { constants, getPriority, setPriority } from "node:os"

/**
 * Lets all other threads of this machine go before the one that calls it: for what takes its time while others wait for
 * answers. Only Linux has priorities of single threads; elsewhere nothing changes.
 */
export const stepBack = (): void => {
  if (process.platform !== "linux") return
  // `process.pid` is all threads together. This one is `<process>/task/<thread>`.
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  // From where the process stands: nobody but root may go before that again.
  const behind = getPriority(thread) + constants.priority.PRIORITY_BELOW_NORMAL
  setPriority(thread, Math.min(behind, constants.priority.PRIORITY_LOW))
}
