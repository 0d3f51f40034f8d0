/** The number of tasks that send files. */
let sending = 0

const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Whether a file is being sent, which ends when the page is closed or the user signs out. */
export const isSending = (): boolean => sending > 0

/** Runs a task that sends files. Meanwhile the browser asks before it closes the page. */
export const whileSending = async <A>(task: () => Promise<A>): Promise<A> => {
  if (sending === 0) addEventListener("beforeunload", warn)
  sending++
  try {
    return await task()
  } finally {
    sending--
    if (sending === 0) removeEventListener("beforeunload", warn)
  }
}
