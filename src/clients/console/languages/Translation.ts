import type { ProblemCode, Schemas } from "../../client/SheafClient.ts"
import type { KeyRows } from "../finding/KeyTable.ts"
import type { NotebookIcon } from "../ui/icons/NotebookIcons.ts"

type English = typeof import("../Messages.ts").texts

/** In English, the console shows the server's sentences for most problems. */
interface Main extends Omit<English, "problems"> {
  readonly problems: Readonly<Record<ProblemCode, string>>
}

/** The texts of the console in a language other than English. A text that is missing does not compile. */
export interface Translation {
  /** The language as pages state it (BCP 47). */
  readonly lang: string
  readonly main: Main
  readonly imports: typeof import("../imports/ImportTexts.ts").importTexts
  readonly templates: typeof import("../templates/TemplateMessages.ts").templateTexts
  readonly notes: typeof import("../notes/NoteMessages.ts").texts
  readonly attaching: typeof import("../notes/AttachingMessages.ts").attachingTexts
  readonly activity: typeof import("../notes/ActivityMessages.ts").activityTexts
  readonly shared: typeof import("../notes/SharedMessages.ts").sharedTexts
  readonly offline: typeof import("../offline/OfflineMessages.ts").offlineTexts
  readonly writing: typeof import("../editor/EditorMessages.ts").texts
  readonly finding: typeof import("../finding/FindingMessages.ts").texts
  readonly links: typeof import("../links/LinkMessages.ts").linkTexts
  readonly tasks: typeof import("../tasks/TaskMessages.ts").taskTexts
  readonly properties: typeof import("../properties/PropertyMessages.ts").propertyTexts
  readonly propertyFilter: typeof import("../properties/PropertyFilterMessages.ts").filterTexts
  readonly keys: KeyRows
  readonly several: typeof import("../several/SeveralMessages.ts").texts
  readonly tags: typeof import("../tags/TagMessages.ts").tagTexts
  readonly undo: typeof import("../undoing/UndoMessages.ts").undoTexts
  readonly looks: typeof import("../ui/LookMessages.ts").lookTexts
  readonly appearance: typeof import("../settings/AppearanceMessages.ts").appearanceTexts
  readonly administration: typeof import("../ui/AdministrationMessages.ts").administrationTexts
  readonly factors: typeof import("../factors/FactorMessages.ts").texts
  readonly charts: typeof import("../ui/charts/ChartMessages.ts").chartTexts
  readonly start: typeof import("../start/StartMessages.ts").texts
  readonly settings: typeof import("../settings/SettingsMessages.ts").texts
  readonly folders: typeof import("../settings/folders/FolderMessages.ts").folderTexts
  readonly server: typeof import("../server/ServerMessages.ts").texts
  /** What is wrong with a field. In English the server says it. */
  readonly fields: Readonly<Record<Schemas["FieldCode"], string>>
  /** What an import could not bring as it was. In English the server says it; names follow the sentence. */
  readonly remarks: Readonly<Record<Schemas["ImportError"]["code"], string>>
  /** The icons of notebooks, whose names in English are those of the API. */
  readonly icons: Readonly<Record<NotebookIcon, string>>
  /** The words of the editor's panel for searches, by its own words in English. */
  readonly editor: Readonly<Record<EditorWord, string>>
}

/** The words of CodeMirror that people see or read, or that programs read to them. */
type EditorWord =
  | "Find"
  | "Replace"
  | "next"
  | "previous"
  | "all"
  | "match case"
  | "regexp"
  | "by word"
  | "replace"
  | "replace all"
  | "close"
  | "current match"
  | "on line"
  | "replaced match on line $"
  | "replaced $ matches"
  | "Control character"
  | "Selection deleted"
  | "Completions"
