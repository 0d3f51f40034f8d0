import type { Translation } from "../Translation.ts"
import { administration, imports, templates } from "./SpanishAccounts.ts"
import { main } from "./SpanishMain.ts"
import { factors } from "./SpanishFactors.ts"
import { finding, keys, several, tags, undo } from "./SpanishFinding.ts"
import { links, properties, propertyFilter, tasks } from "./SpanishLinks.ts"
import { activity, attaching, notes, offline, shared, start } from "./SpanishNotes.ts"
import { fields } from "../../../../../services/languages/SpanishProblems.ts"
import { appearance, charts, editor, icons, looks, writing } from "./SpanishWords.ts"
import { remarks } from "./SpanishRemarks.ts"
import { server } from "./SpanishServer.ts"
import { settings } from "./SpanishSettings.ts"
import { folders } from "./SpanishIntegrations.ts"

export const translation: Translation = {
  lang: "es",
  main,
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
  keys,
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
  server,
  fields,
  remarks,
  icons,
  editor
}
