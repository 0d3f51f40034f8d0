/** Notes and slots of one term, in columns that are reused. */
export class PostingList {
  count = 0
  notes = new Int32Array(1024)
  slots = new Uint8Array(1024)

  push(note: number, slot: number): void {
    if (this.count === this.notes.length) this.reserve(this.count * 2)
    this.notes[this.count] = note
    this.slots[this.count++] = slot
  }

  reserve(size: number): void {
    if (size <= this.notes.length) return
    const notes = new Int32Array(size)
    notes.set(this.notes)
    this.notes = notes
    const slots = new Uint8Array(size)
    slots.set(this.slots)
    this.slots = slots
  }
}
