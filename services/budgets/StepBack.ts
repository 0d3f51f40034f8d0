import { readlinkSync } from "node:fs"
import { constants, setPriority } from "node:os"

/**
 * Lets all other threads of this machine go before the one that calls it: for what takes its time while others wait for
 * answers. Only Linux has priorities of single threads; elsewhere nothing changes.
 */
export const stepBack = (): void => {
  if (process.platform !== "linux") return
  // `process.pid` is all threads together. This one is `<process>/task/<thread>`.
  const thread = readlinkSync("/proc/thread-self").split("/").at(-1)
  setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL)
}
