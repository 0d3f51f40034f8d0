import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { PostingList } from "./PostingList.ts"
import { RecentPostings } from "./RecentPostings.ts"
import { SealedPostings } from "./SealedPostings.ts"

/** So many recent postings are sealed together; in a large index more, so that sealing costs each the same. */
const MIN_RECENT = 64_000
const RECENT_SHARE = 1 / 32
/** And so many of notes that came together. */
const MAX_LOADED = 512 * 1024

/**
 * The notes that contain a term, by slot. From time to time those that came lately are sealed: packed into bytes, which take
 * a tenth of the memory and are a snapshot as they are. Meanwhile notes are added and found as before: what is being sealed
 * stands beside what comes then.
 */
export class Postings {
  #recent = new RecentPostings()
  /** What is being sealed: from then on none of it is taken out. */
  #sealing: RecentPostings | undefined
  #sealed: SealedPostings
  /** Notes from here on may be recent; those before are sealed, or are being sealed. */
  #sealedUntil: number

  constructor(sealed = new SealedPostings(), sealedUntil = 0) {
    this.#sealed = sealed
    this.#sealedUntil = sealedUntil
  }

  /** About how much memory they take. */
  get bytes(): number {
    return this.#recent.bytes + (this.#sealing?.bytes ?? 0) + this.#sealed.bytes
  }

  get sealed(): SealedPostings {
    return this.#sealed
  }

  /** Whether the recent ones are so many that sealing them pays. */
  get isDue(): boolean {
    return this.#areMany(0.5)
  }

  /** Whether they are so many that they must be sealed before more come. */
  get isOverdue(): boolean {
    return this.#areMany(1)
  }

  get hasRecent(): boolean {
    return this.#sealing !== undefined || !this.#recent.isEmpty
  }

  /** Whether a number may be given to another note: only FlexSearch has held it. */
  isReusable(note: number): boolean {
    return note >= this.#sealedUntil && !this.#recent.hasLoaded(note)
  }

  /** Adds one of many notes, as `add` does. */
  load(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#recent.load(note, terms, slots)
  }

  /** Adds a note that is not contained, with its distinct terms and the slot of each. */
  add(note: number, terms: ReadonlyArray<number>, slots: Uint8Array): void {
    this.#recent.add(note, terms, slots)
  }

  /** Removes a note of so many terms. Of a sealed one the postings stay: nobody asks for its number any more. */
  remove(note: number, terms: number): void {
    this.#recent.remove(note, terms)
  }

  /** Reads the notes of a term, removed ones among them, into a list. */
  read(term: number, into: PostingList): void {
    into.count = 0
    this.append(term, into)
  }

  /** Puts them behind what a list holds. */
  append(term: number, into: PostingList): void {
    this.#sealed.read(term, into)
    this.#sealing?.read(term, into)
    this.#recent.read(term, into)
  }

  /**
   * Packs what is recent when it begins behind what is sealed, or what was begun and left before. It may be left, and others
   * may seal meanwhile: who is first has done it for all. `now`: how many terms there are, and up to where numbers were given.
   */
  *sealing(now: () => { readonly terms: number; readonly until: number }, budget: Budget): Sliced<void> {
    const { terms, until } = now()
    if (this.#sealing === undefined) {
      if (this.#recent.isEmpty) return
      this.#sealing = this.#recent
      this.#recent = new RecentPostings()
      this.#sealedUntil = until
    }
    const own = this.#sealing
    const sealed = yield* this.#sealed.extending(yield* own.sorted(terms, budget), budget)
    if (this.#sealing !== own) return
    this.#sealed = sealed
    this.#sealing = undefined
  }

  #areMany(share: number): boolean {
    const { added, loaded } = this.#recent.count
    return (
      added >= share * Math.max(MIN_RECENT, this.#sealed.packed.length * RECENT_SHARE) || loaded >= share * MAX_LOADED
    )
  }
}
