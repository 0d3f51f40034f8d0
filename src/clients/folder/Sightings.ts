/** What a plan has found, by the ids of notes or attachments. */
interface Found {
  readonly present: ReadonlySet<string>
  readonly missing: ReadonlySet<string>
}

/** The files that a run has seen: a deletion is believed only of one that was present, and then missing twice. */
export class Sightings {
  readonly seen = new Set<string>()
  absent: ReadonlySet<string> = new Set()

  /** Whether the next scan must decide about missing files. */
  isUndecided({ missing }: Found): boolean {
    return [...missing].some((id) => this.seen.has(id) && !this.absent.has(id))
  }

  /** Adds what a scan has found. `known`: what has a base after it. */
  add({ missing, present }: Found, known: { readonly has: (id: string) => boolean }): void {
    for (const id of present) this.seen.add(id)
    for (const id of this.seen) if (!known.has(id)) this.seen.delete(id)
    this.absent = missing
  }
}
