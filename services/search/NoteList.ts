/** Numbers of notes in a column that is written again and again. */
export class NoteList {
  count = 0
  notes = new Int32Array(1024)

  push(note: number): void {
    if (this.count === this.notes.length) this.#grow()
    this.notes[this.count++] = note
  }

  /** Those that it holds. Valid until it is written again. */
  get all(): Int32Array {
    return this.notes.subarray(0, this.count)
  }

  /** Leaves only some of them. */
  keep(isKept: (note: number) => boolean): void {
    let count = 0
    for (let i = 0; i < this.count; i++) if (isKept(this.notes[i]!)) this.notes[count++] = this.notes[i]!
    this.count = count
  }

  #grow(): void {
    const notes = new Int32Array(this.count * 2)
    notes.set(this.notes)
    this.notes = notes
  }
}
