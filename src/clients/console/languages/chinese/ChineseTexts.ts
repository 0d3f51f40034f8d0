import type { Translation } from "../Translation.ts"
import { administration, imports, templates } from "./ChineseAccounts.ts"
import { main } from "./ChineseMain.ts"
import { factors } from "./ChineseFactors.ts"
import { finding, keys, several, tags, undo } from "./ChineseFinding.ts"
import { links, properties, propertyFilter, tasks } from "./ChineseLinks.ts"
import { activity, attaching, notes, offline, shared, start } from "./ChineseNotes.ts"
import { fields } from "../../../../../services/languages/ChineseProblems.ts"
import { appearance, charts, editor, icons, looks, writing } from "./ChineseWords.ts"
import { remarks } from "./ChineseRemarks.ts"
import { server } from "./ChineseServer.ts"
import { settings } from "./ChineseSettings.ts"
import { folders } from "./ChineseIntegrations.ts"

export const translation: Translation = {
  lang: "zh-Hans",
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
