/** What a finger does that has begun to move, in pixels from where it came down. */
export interface Gesture {
  /** Whether a move of some pixels begins it. */
  readonly isBegun: (right: number, down: number) => boolean
  readonly follow: (right: number, down: number) => void
  readonly end: (right: number, down: number) => void
  readonly cancel: () => void
}
