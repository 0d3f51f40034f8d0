/** Milliseconds without typing after which a text is saved. */
const pauseBeforeSave = 800
/** Milliseconds after which a text is saved although the user is still typing. */
const longestUnsaved = 5_000
/** Milliseconds until the first repetition without a connection, doubled with each one, up to the longest. */
const firstRetry = 1_000
const longestRetry = 30_000

/** When a text is saved: after a pause of typing, and again while the server cannot be reached. */
export class SaveSchedule {
  readonly #save: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #unsavedSince: number | undefined
  #failures = 0

  constructor(save: () => void) {
    this.#save = save
  }

  /** The user has typed. */
  typed(): void {
    this.#unsavedSince ??= Date.now()
    const most = Math.max(0, this.#unsavedSince + longestUnsaved - Date.now())
    this.#wait(Math.min(pauseBeforeSave, most))
  }

  /** An attempt has failed for a reason that may pass. `retryAfter` is in milliseconds. */
  failed(retryAfter = 0): void {
    this.#wait(Math.min(longestRetry, Math.max(retryAfter, firstRetry * 2 ** this.#failures++)))
  }

  /** An attempt begins. What is typed from now on is saved later. */
  begun(): void {
    this.stop()
    this.#unsavedSince = undefined
  }

  succeeded(): void {
    this.#failures = 0
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(millis: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#save, millis)
  }
}
