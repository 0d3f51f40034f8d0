/** The phases of a webhook that this node holds, and the events between them (docs/architecture.md, "A webhook"). */
export const phases = ["stale", "reading", "sending", "resting", "off", "ending", "released"] as const
export type Phase = (typeof phases)[number]

export const events = ["changed", "read", "on", "off", "rest", "wake", "end", "release"] as const
export type Event = (typeof events)[number]

/** Each phase with the events that leave it. */
const table: Readonly<Record<Phase, Readonly<Partial<Record<Event, Phase>>>>> = {
  stale: { read: "reading", end: "ending", release: "released" },
  // A change during the read makes its result stale.
  reading: { changed: "stale", on: "sending", off: "off", end: "ending", release: "released" },
  sending: { changed: "stale", rest: "resting", end: "ending", release: "released" },
  resting: { changed: "stale", wake: "sending", end: "ending", release: "released" },
  off: { changed: "stale", end: "ending", release: "released" },
  ending: { release: "released" },
  released: {}
}

export const next = (phase: Phase, event: Event): Phase => table[phase][event] ?? phase
