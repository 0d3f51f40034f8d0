/** A small vault with known facts: notes by notebook. */
export const vault: Readonly<
  Record<string, ReadonlyArray<{ title: string; body: string; tags?: ReadonlyArray<string> }>>
> = {
  Projects: [
    {
      title: "Greenhouse",
      tags: ["garden", "active"],
      body: `# Goal\n\nGrow tomatoes all year.\n\n# Budget\n\n| item | cost |\n|---|---|\n| glass | 420 |\n| pump | 85 |\n\n# Tasks\n\n- [x] Order glass\n- [ ] Install the pump\n- [ ] Paint the frame\n\n# Log\n\n${Array.from({ length: 300 }, (_, day) => `Day ${day + 1}: ${day === 211 ? "the first ripe tomato weighed 93 grams." : "watered the plants, nothing new to report."}`).join("\n")}\n`
    },
    {
      title: "Kitchen renovation",
      tags: ["home"],
      body: "# Contractor\n\nMarta Lindqvist, starts on 2026-09-14.\n\n# Colors\n\nWalls in sage.\n"
    },
    {
      title: "Bicycle trip",
      tags: ["travel", "active"],
      body: "# Route\n\nGhent, Bruges, Ostend.\n\n# Packing\n\n- tent\n- spare tube\n"
    }
  ],
  Reading: [
    { title: "On bees", tags: ["book"], body: "A hive keeps its brood at 35 degrees.\n" },
    { title: "Sourdough", tags: ["book", "food"], body: "# Ratios\n\nHydration of 75 percent works best for rye.\n" }
  ],
  People: [
    { title: "Ines", tags: ["family"], body: "Birthday on 3 May. Likes lilies.\n" },
    { title: "Dentist", tags: ["health"], body: "Dr. Okafor, phone 555 0134. Next visit on 2026-12-02.\n" }
  ],
  Meetings: [
    { title: "Board 2026-01", tags: ["board"], body: "# Decisions\n\nThe membership fee rises to 48 euros.\n" },
    { title: "Board 2026-04", tags: ["board"], body: "# Decisions\n\nThe summer party moves to the lake.\n" }
  ]
}

/** Calls a tool and returns its result. */
export type Call = (tool: string, args?: Readonly<Record<string, unknown>>) => Promise<any>

const read = async (call: Call, query: string, range: object = {}): Promise<any> => {
  const { notes } = await call("search_notes", { query, limit: 3 })
  return await call("read_note", { note_id: notes[0].id, ...range })
}

const notebook = async (call: Call, name: string): Promise<string> =>
  (await call("list_notebooks")).notebooks.find((each: any) => each.name === name).id

/** Questions about the vault, each with the calls that find its fact. */
export const questions: ReadonlyArray<{
  readonly question: string
  readonly fact: string
  readonly find: (call: Call) => Promise<string>
}> = [
  {
    question: "Who renovates the kitchen?",
    fact: "Marta Lindqvist",
    find: async (call) => (await read(call, "kitchen", { section: "Contractor" })).text
  },
  {
    question: "What is left to do in the greenhouse?",
    fact: "- [ ] Install the pump\n- [ ] Paint the frame",
    find: async (call) => (await read(call, "greenhouse", { section: "Tasks" })).text
  },
  {
    question: "What did the glass cost?",
    fact: "| glass | 420 |",
    find: async (call) => (await read(call, "greenhouse", { section: "Budget" })).text
  },
  {
    question: "How much did the first ripe tomato weigh?",
    fact: "93 grams",
    find: async (call) => (await call("search_notes", { query: '"first ripe tomato"' })).notes[0].snippet
  },
  {
    question: "What happened in the greenhouse on day 200?",
    fact: "Day 200: watered the plants",
    find: async (call) => {
      const { outline } = await read(call, "greenhouse")
      const log = outline.find(({ text }: any) => text === "Log").line
      return (await read(call, "greenhouse", { from_line: log + 2 + 199, to_line: log + 2 + 199 })).text
    }
  },
  {
    question: "When is the birthday of Ines?",
    fact: "3 May",
    find: async (call) => (await read(call, "Ines birthday")).text
  },
  {
    question: "What is the number of the dentist?",
    fact: "555 0134",
    find: async (call) => (await read(call, "dentist")).text
  },
  {
    question: "Which projects are active?",
    fact: "Bicycle trip, Greenhouse",
    find: async (call) =>
      (await call("list_notes", { filter: "tags:active", sort: "title" })).notes
        .map(({ title }: any) => title)
        .join(", ")
  },
  {
    question: "How many notes are in Meetings?",
    fact: "2",
    find: async (call) =>
      String((await call("list_notebooks")).notebooks.find(({ name }: any) => name === "Meetings").note_count)
  },
  {
    question: "What did the board decide in April?",
    fact: "moves to the lake",
    find: async (call) => {
      const filter = `notebook_id=${await notebook(call, "Meetings")} AND title:2026-04`
      const { notes } = await call("list_notes", { filter })
      return (await call("read_note", { note_id: notes[0].id })).text
    }
  },
  {
    question: "How warm is a hive?",
    fact: "35 degrees",
    find: async (call) => (await call("search_notes", { query: "hive brood", tags: ["book"] })).notes[0].snippet
  },
  {
    question: "Which tag has the most notes?",
    fact: "active",
    find: async (call) =>
      (await call("list_tags")).tags
        .toSorted((a: any, b: any) => b.note_count - a.note_count)
        .map(({ name }: any) => name)
        .slice(0, 3)
        .join(" ")
  }
]
