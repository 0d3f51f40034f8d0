import type { Translation } from "../Translation.ts"
import { administration, imports, templates } from "./GermanAccounts.ts"
import { main } from "./GermanMain.ts"
import { factors } from "./GermanFactors.ts"
import { finding, keys, several, tags, undo } from "./GermanFinding.ts"
import { links, properties, propertyFilter, tasks } from "./GermanLinks.ts"
import { activity, attaching, notes, offline, shared, start } from "./GermanNotes.ts"
import { fields } from "../../../../../services/languages/GermanProblems.ts"
import { appearance, charts, editor, icons, looks, writing } from "./GermanWords.ts"
import { remarks } from "./GermanRemarks.ts"
import { server } from "./GermanServer.ts"
import { settings } from "./GermanSettings.ts"
import { folders } from "./GermanIntegrations.ts"

export const translation: Translation = {
  lang: "de",
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
