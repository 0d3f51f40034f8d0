import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("es")

export const transfers: Translation["settings"]["transfers"] = {
  importTitle: "Importación",
  imports: "Importaciones",
  unnamed: "Un archivo sin nombre",
  notesOf: (imported, updated, skipped) =>
    [
      counted(imported, "nueva", "nuevas"),
      ...(updated > 0 ? [counted(updated, "actualizada", "actualizadas")] : []),
      ...(skipped > 0 ? [counted(skipped, "omitida", "omitidas")] : [])
    ].join(", "),
  noImports: "No se importó nada.",
  noFile: "espera su archivo",
  statuses: { queued: "en espera", running: "en curso", done: "terminada", ready: "lista", failed: "fallida" },
  exportTitle: "Exportación",
  exportLead: "Un archivo ZIP con las notas tal como están en un momento, sin la papelera.",
  exports: "Exportaciones",
  scope: "Contenido",
  scopes: { workspace: "Todo el espacio de trabajo", notebook: "Un cuaderno con los que contiene" },
  gone: "un cuaderno eliminado",
  format: "Formato",
  formats: { markdown: "Archivos Markdown", json: "JSON, que una importación lee sin pérdidas" },
  formatNames: { markdown: "Markdown", json: "JSON" },
  attachments: "Con los archivos de las notas",
  submit: "Crear la exportación",
  noExports: "No hay exportaciones.",
  kept: "Se conservan las cinco últimas, cada una durante siete días.",
  downloadOf: (when) => `Descargar la exportación de ${when}`
}

export const usage: Translation["settings"]["usage"] = {
  lead: (plan, until) => `Plan ${plan}. La cuenta de solicitudes empieza de nuevo el ${until}.`,
  unlimited: (used) => `${used}, sin límite`,
  full: "lleno",
  meters: {
    storage: "Textos y archivos",
    templates: "Plantillas",
    shares: "Enlaces"
  },
  limits: "Límites",
  limit: "Límite",
  value: "Como máximo",
  limitNames: {
    requests_per_minute: "Solicitudes por minuto, por sesión y clave",
    attachment_bytes: "Tamaño de un archivo",
    api_keys: "Claves de API de un usuario",
    devices: "Dispositivos de un usuario",
    invitations: "Invitaciones pendientes",
    invitations_per_hour: "Invitaciones de un usuario por hora",
    invitations_per_day: "Invitaciones de un usuario por día",
    audit_days: "Días que se conserva el registro de auditoría"
  },
  noLimit: "sin límite",
  requests: "Solicitudes",
  requestsLead: (count) => `${count} este mes, por día (UTC).`,
  day: "Día",
  noDays: "No hay solicitudes."
}

export const audit: Translation["settings"]["audit"] = {
  title: "Entradas",
  lead: "Acciones que afectan a la seguridad: inicios de sesión, claves, roles, enlaces, exportaciones. Las entradas nunca cambian.",
  anyone: "Todas",
  server: "el servidor",
  from: "Desde",
  to: "Hasta",
  apply: "Filtrar",
  none: "Ninguna entrada coincide.",
  program: "Programa",
  undo: "Deshacer estos cambios",
  save: "Guardar en un archivo",
  saveLead: "Todas las entradas que coinciden con el filtro.",
  reading: (count) => `Leyendo ${counted(count, "entrada", "entradas")}…`,
  saved: (count) => `${counted(count, "entrada guardada", "entradas guardadas")}.`,
  limited: (most) => `Se guardaron las ${most} entradas más recientes. Filtre por fecha para obtener las demás.`
}
