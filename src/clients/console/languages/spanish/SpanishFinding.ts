import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form, list } = phrasesIn("es")

export const finding: Translation["finding"] = {
  palette: {
    title: "Buscar o hacer algo",
    placeholder: "Buscar una nota, un cuaderno, una etiqueta o un comando",
    outlinePlaceholder: "Buscar un encabezado",
    noHeadings: "Esta nota no tiene encabezados.",
    none: "No hay coincidencias.",
    recent: "Abiertas últimamente",
    loaded: "Mejores coincidencias",
    server: "En todas las notas",
    commands: "Comandos",
    headings: "Encabezados",
    offline: "No se puede contactar con el servidor. Solo se encuentra lo que está cargado.",
    count: (count) => counted(count, "resultado", "resultados"),
    heading: "Encabezado",
    searchFor: (query) => `Buscar «${query}» en todos los textos`,
    create: (title) => `Nueva nota «${title}»`,
    hints: [
      ["↑↓", "mover"],
      ["Enter", "abrir"],
      ["Esc", "cerrar"]
    ]
  },
  list: {
    menu: "Orden y filas de la lista",
    fields: { updated_at: "Última edición", created_at: "Creación", title: "Título" },
    relevance: "Mejores coincidencias",
    directions: {
      byTime: ["Más antiguas primero", "Más recientes primero"],
      byTitle: ["De la A a la Z", "De la Z a la A"]
    },
    filter: "Filtrar",
    compact: "Una línea por nota",
    select: "Seleccionar notas"
  },
  note: {
    archive: "Mover al archivo",
    unarchive: "Sacar del archivo",
    duplicate: "Duplicar",
    trash: "Mover a la papelera",
    trashed: "La nota está en la papelera.",
    isArchived: "La nota está en el archivo.",
    outline: "Esquema",
    template: "Guardar como plantilla",
    templateSaved: "La plantilla está guardada."
  },
  links: "Enlaces a esta nota",
  columns: { name: "Columnas", side: "Ancho de la navegación", list: "Ancho de la lista" },
  commands: {
    newNote: { title: "Nueva nota", aliases: "crear escribir" },
    today: { title: "Nota de hoy", aliases: "diario fecha daily" },
    property: { title: "Añadir una propiedad", aliases: "metadatos frontmatter yaml" },
    outline: { title: "Esquema de la nota", aliases: "encabezados índice tabla de contenido" },
    links: { title: "Enlaces a la nota", aliases: "retroenlaces referencias menciones backlinks" },
    askLinks: { title: "Preguntar por los enlaces tras cambiar un título", aliases: "renombrar" },
    tasks: { title: "Tareas", aliases: "pendientes vencimiento hoy atrasadas todo" },
    search: { title: "Buscar en todos los textos", aliases: "encontrar" },
    settings: { title: "Ajustes", aliases: "preferencias cuenta perfil configuración" },
    server: { title: "Servidor", aliases: "operador administración" },
    exports: { title: "Exportar notas", aliases: "descargar copia de seguridad ajustes" },
    imports: { title: "Importar notas", aliases: "traer subir obsidian logseq" },
    print: { title: "Imprimir la nota", aliases: "pdf papel" },
    copyMarkdown: { title: "Copiar como Markdown", aliases: "portapapeles fuente" },
    copyFormatted: { title: "Copiar con formato", aliases: "portapapeles html correo word" },
    exportNote: { title: "Guardar como archivo Markdown", aliases: "exportar descargar md" },
    keys: { title: "Teclas", aliases: "atajos teclado ayuda" }
  },
  withoutFiles:
    "El archivo contiene el texto de la nota. Los archivos adjuntos están en una exportación de su cuaderno.",
  filters: {
    label: "Filtros de la búsqueda",
    notebook: "Cuaderno",
    tag: "Etiqueta",
    time: "Cambiada",
    times: {
      today: "Hoy",
      week: "En los últimos 7 días",
      month: "En los últimos 30 días",
      year: "En el último año"
    },
    property: "Propiedad",
    archive: "Archivo",
    archived: "Solo archivadas",
    notArchived: "No archivadas"
  },
  keys: {
    places: {
      anywhere: "En todas partes",
      list: "En la lista de notas",
      text: "En el texto de una nota"
    },
    single: "Las teclas solas, como N, actúan mientras ningún texto tiene el foco"
  }
}

export const keys: Translation["keys"] = {
  anywhere: [
    ["Ctrl-K", "buscar una nota, un cuaderno, una etiqueta, un encabezado o un comando"],
    ["/", "buscar en los textos de todas las notas"],
    ["?", "mostrar estas teclas"],
    ["N", "nueva nota"],
    ["D", "la nota de hoy"],
    ["O", "esquema de la nota abierta"],
    ["L", "los enlaces a la nota abierta"],
    ["T", "las tareas"],
    ["Ctrl-E", "leer o escribir; con texto seleccionado: código"],
    ["Ctrl-S", "guardar ahora"]
  ],
  list: [
    ["↓, ↑; J, K", "la nota siguiente, la anterior"],
    ["Space", "seleccionar la nota, o no"],
    ["Shift-↓, Shift-↑", "seleccionar también la nota siguiente, la anterior"],
    ["Ctrl-A", "seleccionar todas las notas de la lista"],
    ["Escape", "no seleccionar nada"]
  ],
  text: [
    [
      "Ctrl-B, Ctrl-I, Ctrl-Shift-X",
      "negrita, cursiva, tachado: la selección o la palabra del cursor; otra vez para quitarlo"
    ],
    ["Ctrl-K, con texto seleccionado", "crear un enlace; en un enlace, seleccionar su dirección"],
    ["Ctrl-Shift-7, -8, -9", "lista numerada, lista con viñetas, tareas; otra vez para terminar la lista"],
    ["Ctrl-Enter", "marcar la tarea o las seleccionadas; hacer una tarea de otra línea"],
    ["`/`", "el menú de encabezados, listas, tablas y otros bloques"],
    ["Ctrl-Z; Ctrl-Y o Ctrl-Shift-Z", "deshacer lo escrito; rehacerlo"],
    ["Ctrl-F; F3", "buscar en el texto; la coincidencia siguiente"],
    ["`[[`, `[[título#`", "completar el título de una nota, un encabezado de la nota"],
    ["Tab, Shift-Tab en una lista", "meter el elemento en el anterior; sacarlo"],
    ["Tab, Shift-Tab en una tabla", "celda siguiente, anterior; alinea las columnas y añade una fila tras la última"],
    ["Alt-↑, Alt-↓", "mover la línea"],
    ["Alt-Enter, o Ctrl-clic", "abrir el enlace del cursor"],
    ["Escape, luego Tab", "salir del texto"]
  ]
}

const notes = (count: number) => counted(count, "nota", "notas")
const are = (count: number) => counted(count, "nota está", "notas están")

export const several: Translation["several"] = {
  selected: (count) => counted(count, "nota seleccionada", "notas seleccionadas"),
  progress: (done, all) => `${done} de ${all}…`,
  move: "Mover a un cuaderno…",
  moveTitle: (count) => `Mover ${notes(count)}`,
  moveAction: "Mover",
  tag: "Añadir una etiqueta…",
  tagTitle: (count) => `Añadir una etiqueta a ${notes(count)}`,
  tagAction: "Añadir",
  tagName: "Etiqueta",
  clear: "No seleccionar nada",
  archive: "Mover al archivo",
  unarchive: "Sacar del archivo",
  trash: "Mover a la papelera",
  restore: "Restaurar",
  notebookDeleted: (name) => `«${name}» y sus notas están en la papelera.`,
  done: {
    move: (count, notebook) => `${are(count)} ahora en «${notebook}».`,
    tag: (count, tag) => `${counted(count, "nota ha recibido", "notas han recibido")} #${tag}.`,
    archive: (count) => `${are(count)} en el archivo.`,
    unarchive: (count) => `${counted(count, "nota ya no está", "notas ya no están")} en el archivo.`,
    trash: (count) => `${are(count)} en la papelera.`,
    restore: (count) => `${counted(count, "nota restaurada", "notas restauradas")}.`
  },
  failed: (count, shown) =>
    `${counted(count, "nota no ha", "notas no han")} cambiado: ${shown.join("; ")}${count > shown.length ? "; …" : ""}`,
  failure: (title, reason) => `«${title}»: ${reason}`
}

export const tags: Translation["tags"] = {
  dialog: {
    titles: {
      edit: (name) => `#${name}`,
      merge: (name) => `Combinar #${name}`,
      delete: (name) => `Eliminar #${name}`
    },
    done: { merge: (name) => `#${name} está combinada.`, delete: (name) => `#${name} está eliminada.` },
    actions: { edit: "Guardar", merge: "Combinar", delete: "Eliminar" },
    name: "Nombre de la etiqueta",
    nameHint: "Sin espacios, comas ni #",
    exists: "Ya hay una etiqueta con este nombre. Combine las dos.",
    unknown: "No hay ninguna etiqueta con este nombre.",
    target: "Etiqueta que la sustituye",
    mergeLead: (name) => `Todas las notas con #${name} reciben la otra etiqueta, y #${name} se elimina.`,
    deleteLead: (count) =>
      count === 0
        ? "Ninguna nota tiene esta etiqueta."
        : `${counted(count, "nota tiene", "notas tienen")} esta etiqueta y la ${form(count, "perderá", "perderán")}. Las notas se quedan.`
  },
  all: {
    filter: "Parte del nombre",
    more: "Mostrar más",
    none: "Ninguna etiqueta coincide."
  }
}

export const undo: Translation["undo"] = {
  title: "Deshacer estos cambios",
  again: "Deshacer la anulación",
  looking: "Comprobando qué cambiaría",
  lead: "Aún no ha cambiado nada. Esto es lo que ocurre al deshacer:",
  leadAgain: "Los cambios ya están deshechos. Si eso se deshace, vuelven a estar ahí:",
  nothing: "Nada de esto se puede deshacer.",
  gone: "Estos cambios ya no se pueden deshacer. Lo necesario para ello se conserva 90 días.",
  running: "Deshaciendo",
  mayClose: "El servidor continúa cuando cierra este diálogo.",
  done: "Deshecho.",
  doneAgain: "Los cambios vuelven a estar ahí.",
  partly: (kept) => `Deshecho. ${counted(kept, "elemento queda como está", "elementos quedan como están")}.`,
  failed: "El servidor no pudo deshacerlo todo. Lo que ha deshecho sigue deshecho.",
  details: "Detalles",
  more: "Mostrar más",
  outcomes: {
    kept: (count) => `Queda como está: ${count}`,
    merged: (count) => `Como antes, salvo cambios posteriores: ${count}`,
    reverted: (count) => `Como antes: ${count}`
  },
  reasons: {
    changed_since: "Cambiado desde entonces",
    deleted_since: "Eliminado desde entonces",
    restored_since: "Restaurado desde entonces",
    not_kept: "El estado anterior ya no se conserva",
    not_empty: "Ahora contiene otras notas",
    is_file: "Los archivos se quedan: su eliminación no se podría deshacer",
    refused: "Rechazado, por ejemplo por un límite o un nombre ya usado"
  },
  fields: {
    body: "texto",
    title: "título",
    name: "nombre",
    tags: "etiquetas",
    pinned: "fijación",
    notebook_id: "cuaderno"
  },
  because: (reason, members) => (members.length === 0 ? reason : `${reason}: ${list(members)}`),
  types: {
    note: "Nota",
    notebook: "Cuaderno",
    tag: "Etiqueta",
    template: "Plantilla",
    attachment: "Archivo",
    comment: "Comentario",
    reminder: "Recordatorio"
  }
}
