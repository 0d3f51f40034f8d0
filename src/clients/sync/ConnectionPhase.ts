/** The phases of the exchange with the server, and its events (docs/architecture.md, "The exchange of a sync engine"). */
export const phases = ["idle", "behind", "live", "stopping", "restarting"] as const
export type Phase = (typeof phases)[number]

export const events = ["start", "connect", "lose", "stop", "end"] as const
export type Event = (typeof events)[number]

/** Each phase with the events that leave it. */
const table: Readonly<Record<Phase, Readonly<Partial<Record<Event, Phase>>>>> = {
  idle: { start: "behind", stop: "stopping" },
  behind: { connect: "live", stop: "stopping" },
  live: { lose: "behind", stop: "stopping" },
  // What still runs may report its stream: that begins nothing.
  stopping: { start: "restarting", end: "idle" },
  restarting: { stop: "stopping", end: "behind" }
}

export const next = (phase: Phase, event: Event): Phase => table[phase][event] ?? phase
