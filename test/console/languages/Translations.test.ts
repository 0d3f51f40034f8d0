import { describe, expect, it } from "vitest"
import { languages } from "../../../services/languages/Language.ts"
import { phrasesIn } from "../../../services/languages/Phrases.ts"
import { texts as writing } from "../../../src/clients/console/editor/EditorMessages.ts"
import { texts as factors } from "../../../src/clients/console/factors/FactorMessages.ts"
import { texts as finding } from "../../../src/clients/console/finding/FindingMessages.ts"
import { keyParts, keyTable } from "../../../src/clients/console/finding/KeyTable.ts"
import { importTexts as imports } from "../../../src/clients/console/imports/ImportTexts.ts"
import { translation as chinese } from "../../../src/clients/console/languages/chinese/ChineseTexts.ts"
import { translation as french } from "../../../src/clients/console/languages/french/FrenchTexts.ts"
import { translation as german } from "../../../src/clients/console/languages/german/GermanTexts.ts"
import { translation as spanish } from "../../../src/clients/console/languages/spanish/SpanishTexts.ts"
import { linkTexts as links } from "../../../src/clients/console/links/LinkMessages.ts"
import { texts as main } from "../../../src/clients/console/Messages.ts"
import { attachingTexts as attaching } from "../../../src/clients/console/notes/AttachingMessages.ts"
import { activityTexts as activity } from "../../../src/clients/console/notes/ActivityMessages.ts"
import { texts as notes } from "../../../src/clients/console/notes/NoteMessages.ts"
import { sharedTexts as shared } from "../../../src/clients/console/notes/SharedMessages.ts"
import { offlineTexts as offline } from "../../../src/clients/console/offline/OfflineMessages.ts"
import { filterTexts as propertyFilter } from "../../../src/clients/console/properties/PropertyFilterMessages.ts"
import { propertyTexts as properties } from "../../../src/clients/console/properties/PropertyMessages.ts"
import { texts as server } from "../../../src/clients/console/server/ServerMessages.ts"
import { folderTexts as folders } from "../../../src/clients/console/settings/folders/FolderMessages.ts"
import { texts as settings } from "../../../src/clients/console/settings/SettingsMessages.ts"
import { texts as several } from "../../../src/clients/console/several/SeveralMessages.ts"
import { texts as start } from "../../../src/clients/console/start/StartMessages.ts"
import { tagTexts as tags } from "../../../src/clients/console/tags/TagMessages.ts"
import { taskTexts as tasks } from "../../../src/clients/console/tasks/TaskMessages.ts"
import { templateTexts as templates } from "../../../src/clients/console/templates/TemplateMessages.ts"
import { administrationTexts as administration } from "../../../src/clients/console/ui/AdministrationMessages.ts"
import { appearanceTexts as appearance } from "../../../src/clients/console/settings/AppearanceMessages.ts"
import { chartTexts as charts } from "../../../src/clients/console/ui/charts/ChartMessages.ts"
import { lookTexts as looks } from "../../../src/clients/console/ui/LookMessages.ts"
import { undoTexts as undo } from "../../../src/clients/console/undoing/UndoMessages.ts"
import { leavesOf, unlike } from "../../support/Translated.ts"

const { problems: _problems, ...others } = main
const english = {
  main: others,
  administration,
  imports,
  templates,
  notes,
  attaching,
  activity,
  shared,
  offline,
  writing,
  finding,
  links,
  tasks,
  properties,
  propertyFilter,
  several,
  tags,
  undo,
  looks,
  appearance,
  factors,
  charts,
  start,
  settings,
  folders,
  server
}

/** Texts that are the same in English and other languages: names and units. */
const same = [
  "Sheaf",
  "Webhook",
  "Webhooks",
  "Free",
  "Plus",
  "Team",
  "CSV",
  "JSON",
  "Markdown",
  "ms",
  "Evernote (enex)",
  "Notion (ZIP)",
  "Enter",
  "Esc"
]
/** Those of one language. */
const sameIn = {
  de: "App,Details,Export,Import,Links,Mail,Mails,Name,Name (optional),Normal,Orange,Passkey,Person,Plan,Server,Streams,System,Text,Version",
  fr: "Action,Actions,Assistant,Date,Invitation,Invitations,Machine,Note,Notes,Notification,Options,Orange,Plan,Sessions,Version,Violet,note,notes",
  es: "Normal,Plan,no,personal",
  zh: ""
}

describe.each([
  ["de", german],
  ["fr", french],
  ["es", spanish],
  ["zh", chinese]
] as const)("the console in %s", (language, translation) => {
  it("has each text of the English one, and none that is empty or still English", () => {
    const { editor, fields, icons, keys: _keys, lang, main, remarks, ...more } = translation
    const { problems, ...own } = main
    const wrong = unlike(english, { main: own, ...more })
    expect(wrong.different).toEqual([])
    expect(wrong.empty).toEqual([])
    const known: ReadonlyArray<string> = [...same, ...sameIn[language].split(",")]
    expect(wrong.equal.filter((text) => !known.includes(text))).toEqual([])
    expect(lang.startsWith(language)).toBe(true)
    for (const [path, text] of leavesOf({ editor, fields, icons, problems, remarks })) expect(text, path).toMatch(/\S/)
  })

  it("has each key of the English table, and what it does in other words", () => {
    const rows = Object.entries(translation.keys).flatMap(([place, rows]) =>
      rows.map(([keys, action]) => ({ place, keys, action }))
    )
    const combinations = (keys: string) =>
      keyParts(keys)
        .filter((_, index) => index % 2 === 1)
        // A word in a combination is translated: the title in links, and the click.
        .map((each) => each.replace(/(?<=^Ctrl-|^\[\[)\p{L}{2,}/u, "…"))
    expect(rows.map(({ keys, place }) => [place, combinations(keys)])).toEqual(
      keyTable.map(({ keys, place }) => [place, combinations(keys)])
    )
    for (const { action } of rows) expect(keyTable.map((row) => row.action)).not.toContain(action)
  })
})

it("numbers have the forms of words of each language, by Intl", () => {
  const forms = languages.map((language) => {
    const { counted } = phrasesIn(language)
    return [0, 1, 2, 12_345].map((count) => counted(count, "one", "other"))
  })
  expect(Object.fromEntries(languages.map((language, index) => [language, forms[index]]))).toEqual({
    en: ["0 other", "1 one", "2 other", "12,345 other"],
    de: ["0 other", "1 one", "2 other", "12.345 other"],
    fr: ["0 one", "1 one", "2 other", "12\u202f345 other"],
    es: ["0 other", "1 one", "2 other", "12.345 other"],
    zh: ["0 other", "1 other", "2 other", "12,345 other"]
  })
  expect(german.main.results(1)).toBe("1 Notiz")
  expect(french.main.results(0)).toBe("0 note")
  expect(spanish.main.unresolved(["a", "b", "c"])).toBe("La nota tiene campos sin valor: a, b y c")
  expect(chinese.main.note.words(1)).toBe("1 个词")
})
