/** Runs functions one after the other. */
export class Turn {
  private last: Promise<unknown> = Promise.resolve()

  run<A>(work: () => Promise<A>): Promise<A> {
    const next = this.last.then(work, work)
    this.last = next.catch(() => {})
    return next
  }
}
