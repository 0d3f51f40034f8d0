import type { Translation } from "../Translation.ts"
import { administration, imports, templates } from "./FrenchAccounts.ts"
import { main } from "./FrenchMain.ts"
import { factors } from "./FrenchFactors.ts"
import { finding, keys, several, tags, undo } from "./FrenchFinding.ts"
import { links, properties, propertyFilter, tasks } from "./FrenchLinks.ts"
import { activity, attaching, notes, offline, shared, start } from "./FrenchNotes.ts"
import { fields } from "../../../../../services/languages/FrenchProblems.ts"
import { appearance, charts, editor, icons, looks, writing } from "./FrenchWords.ts"
import { remarks } from "./FrenchRemarks.ts"
import { server } from "./FrenchServer.ts"
import { settings } from "./FrenchSettings.ts"
import { folders } from "./FrenchIntegrations.ts"

export const translation: Translation = {
  lang: "fr",
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
