import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { PostingList } from "./PostingList.ts"

/** Bits of a slot, below those of the note or of its distance to the note before. */
export const SLOT_BITS = 5

const lengthOf = (value: number): number => {
  let length = 1
  for (let rest = value; rest > 127; rest >>>= 7) length++
  return length
}

/** Postings to be packed: notes and slots as one number, by term and then sorted, and where each term ends. */
export interface Additions {
  readonly ends: Uint32Array
  readonly values: Int32Array
}

/**
 * Lists of notes by term, packed: for each note its distance to the one before it and its slot, as one number of seven
 * bits to a byte, the lowest first. Notes rise within a list, so that further ones are written behind it.
 */
export class SealedPostings {
  readonly packed: Uint8Array
  /** Where the list of each term ends. */
  readonly ends: Uint32Array
  /** The last note of each list. */
  readonly lasts: Int32Array

  constructor(packed = new Uint8Array(0), ends = new Uint32Array(0), lasts = new Int32Array(0)) {
    this.packed = packed
    this.ends = ends
    this.lasts = lasts
  }

  get bytes(): number {
    return this.packed.length + this.ends.length * 8
  }

  /** Puts the notes of a term behind what a list holds. */
  read(term: number, into: PostingList): void {
    if (term >= this.ends.length) return
    const { packed } = this
    const end = this.ends[term]!
    let at = term === 0 ? 0 : this.ends[term - 1]!
    into.reserve(into.count + end - at)
    const { notes, slots } = into
    let { count } = into
    let note = -1
    while (at < end) {
      let byte = packed[at++]!
      let value = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = packed[at++]!
        value |= (byte & 127) << shift
      }
      note += value >>> 5
      notes[count] = note
      slots[count++] = value & 31
    }
    into.count = count
  }

  /** These lists with others behind them, as many as those have ends. */
  *extending({ ends: addedEnds, values }: Additions, budget: Budget): Sliced<SealedPostings> {
    const terms = addedEnds.length
    const known = this.ends.length
    let size = this.packed.length
    for (let term = 0, from = 0; term < terms; term++) {
      const until = addedEnds[term]!
      if (from === until) continue
      let last = term < known ? this.lasts[term]! : -1
      for (; from < until; from++) {
        const each = values[from]!
        size += lengthOf(each - (last << SLOT_BITS))
        last = each >>> SLOT_BITS
      }
      if ((term & 1023) === 1023 && budget.spend(1_000)) yield
    }
    if (budget.spend(values.length / 20)) yield
    const packed = new Uint8Array(size)
    const ends = new Uint32Array(terms)
    const lasts = new Int32Array(terms).fill(-1)
    lasts.set(this.lasts)
    // Where of the old bytes, and of the new ones, all before it is done. Lists that stay as they are move together.
    let from = 0
    let at = 0
    const move = (until: number) => {
      packed.set(this.packed.subarray(from, until), at)
      at += until - from
      from = until
    }
    let steps = 0
    for (let term = 0, next = 0; term < terms; term++) {
      const own = term < known ? this.ends[term]! : this.packed.length
      const until = addedEnds[term]!
      if (next === until) {
        ends[term] = own + at - from
        continue
      }
      move(own)
      let last = lasts[term]!
      steps += (until - next) / 4
      for (; next < until; next++) {
        const each = values[next]!
        let value = each - (last << SLOT_BITS)
        last = each >>> SLOT_BITS
        while (value > 127) {
          packed[at++] = (value & 127) | 128
          value >>>= 7
        }
        packed[at++] = value
      }
      lasts[term] = last
      ends[term] = at
      if (++steps > 1_000) {
        if (budget.spend(steps)) yield
        steps = 0
      }
    }
    move(this.packed.length)
    return new SealedPostings(packed, ends, lasts)
  }

  /** The same lists under other numbers, which rise as the old ones do; without those whose number is -1. */
  *renumbering(terms: Int32Array, notes: Int32Array, list: PostingList, budget: Budget): Sliced<SealedPostings> {
    const packed = new Uint8Array(this.packed.length + this.ends.length)
    let count = 0
    for (let term = 0; term < this.ends.length; term++) if (terms[term]! >= 0) count = terms[term]! + 1
    const ends = new Uint32Array(count)
    const lasts = new Int32Array(count).fill(-1)
    let at = 0
    for (let term = 0; term < this.ends.length; term++) {
      const number = terms[term]!
      if (number < 0) continue
      list.count = 0
      this.read(term, list)
      let last = -1
      for (let i = 0; i < list.count; i++) {
        const note = notes[list.notes[i]!]!
        if (note < 0) continue
        let value = (note - last) * 32 + list.slots[i]!
        last = note
        while (value > 127) {
          packed[at++] = (value & 127) | 128
          value >>>= 7
        }
        packed[at++] = value
      }
      ends[number] = at
      lasts[number] = last
      if (budget.spend(4 + list.count * 2)) yield
    }
    return new SealedPostings(packed.slice(0, at), ends, lasts)
  }
}
