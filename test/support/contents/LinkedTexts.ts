/** Names and texts of notes that link to each other. */

/** Few names, so that notes have the same ones; some have signs with a meaning in links, in YAML or in file names. */
export const titles = ["Plan", "plan", "Trip", "Trip#1", "Über", "A/B", 'Say "hi"', "It's [x]", "v1.2"]
export const folders = ["Work", "Home", "Work"]

export const at = <A>(all: ReadonlyArray<A>, index: number): A => all[index % all.length]!

const targetsOf = (id: string): ReadonlyArray<string> => [
  ...titles,
  "Work/Plan",
  "Home/Trip",
  "../Home/Plan",
  "Work/Home/Plan",
  id,
  "photo.png",
  "Alias"
]

/** Links to notes by names, paths, an alias and an id, in many forms, and tasks. */
export const bodyOf = (a: number, b: number, id: string): string => {
  const target = (index: number) => at(targetsOf(id), index)
  const links = [0, 1, 2].map((offset) => `[[${target(a * 3 + b + offset * 5)}#part|x]]`)
  const head =
    a % 4 === 0
      ? `---\naliases: [Alias, ${at(["Trip", "Über"], b)}]\nrelated: "[[${at(titles, a)}]]"\nother: '[[${at(titles, b)}|x]]'\nn: ${b}\n---\n`
      : ""
  const lines = [
    "# part",
    "",
    `${links.join(" ")} [md](${encodeURIComponent(at(titles, b))}.md) ![[${target(b)}]] [id](note:${id}#part)`,
    "",
    "| a | b |",
    "|---|---|",
    `| [[${at(titles, a)}\\|x]] | [${at(titles, b)}](<${at(titles, a)}.md>) |`,
    "",
    "- [ ] one due:2026-12-01",
    "- [x] two",
    "- [ ] one due:2026-12-01",
    "",
    `[ref][r] \`[[${at(titles, a)}]]\``,
    "",
    `[r]: ${encodeURIComponent(at(titles, a + b))}.md "Title"`,
    ""
  ]
  return head + lines.join(b % 5 === 4 ? "\r\n" : "\n")
}
