import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import { problems } from "../../../../../services/languages/SpanishProblems.ts"
import type { Translation } from "../Translation.ts"
import { account } from "./SpanishAccounts.ts"

const { counted, list } = phrasesIn("es")

export const main: Translation["main"] = {
  name: "Sheaf",
  close: "Cerrar",
  save: "Guardar",
  undo: "Deshacer",
  retry: "Reintentar",
  more: "Más",
  cancel: "Cancelar",
  copied: "Copiado.",
  notCopied: "El navegador no permite que Sheaf copie. Seleccione el texto y cópielo usted.",
  settings: "Ajustes",
  connect: "Conectar una aplicación",
  server: "Servidor",
  offline: "No se puede contactar con el servidor. Su texto se conserva en este dispositivo.",
  notFound: "Esta nota no está aquí. Puede que se haya eliminado o que pertenezca a otro espacio de trabajo.",
  unexpected: "Ha ocurrido algo inesperado. Su texto se conserva en este dispositivo.",
  untitled: "Sin título",
  noteName: "Nota",
  notebook: "Cuaderno",

  problems: {
    ...problems,
    no_response: "No se puede contactar con el servidor.",
    unexpected_response: "El servidor ha enviado una respuesta inesperada."
  },

  account,

  lists: {
    all: "Todas las notas",
    tasks: "Tareas",
    archive: "Archivo",
    trash: "Papelera",
    search: "Búsqueda"
  },
  navigation: "Cuadernos y etiquetas",
  openNavigation: "Abrir la navegación",
  notebooks: "Cuadernos",
  tags: "Etiquetas",
  newNotebook: "Nuevo cuaderno",
  editNotebook: "Editar…",
  deleteNotebook: "Eliminar",
  moveNotebook: "Mover a…",
  notebookTitle: (name, own, inside) =>
    own === inside ? `${name}: ${own}` : `${name}: ${own}, ${inside} con los cuadernos interiores`,
  newSubnotebook: "Nuevo cuaderno dentro",
  expand: (name) => `Mostrar los cuadernos de ${name}`,

  tagMenu: { edit: "Nombre y color…", merge: "Combinar con…", delete: "Eliminar…" },
  allTags: {
    title: "Todas las etiquetas",
    limited: (most) => `Se muestran las ${most} etiquetas con más notas.`
  },

  skip: "Ir a la lista de notas",
  search: "Buscar notas",
  palette: (key) => `Buscar o hacer algo (${key})`,
  list: {
    pick: (title) => `Seleccionar ${title}`
  },
  results: (count) => counted(count, "nota", "notas"),
  empty: {
    all: "Aún no hay notas. Escriba la primera.",
    archive: "Aquí están las notas archivadas.",
    trash: "La papelera está vacía. Las notas permanecen aquí 30 días.",
    notebook: "Este cuaderno está vacío.",
    tag: "Ninguna nota tiene esta etiqueta.",
    search: "Ninguna nota coincide."
  },
  noSelection: "Empiece aquí:",
  writeNote: "Escribir una nota",
  keysHint: (find, write) =>
    `${find} busca notas y comandos, ${write} cambia entre leer y escribir, ? muestra las teclas. [[ enlaza otra nota.`,
  newNote: "Nueva nota",
  fromTemplate: "Nueva nota a partir de una plantilla",

  importNotes: "Importar notas…",
  manageTemplates: "Gestionar plantillas…",
  unresolved: (names) => `La nota tiene campos sin valor: ${list(names)}`,
  note: {
    title: "Título",
    body: "Texto de la nota",
    read: "Leer",
    write: "Escribir",
    back: "Volver a la lista",
    pin: "Fijar",
    unpin: "Dejar de fijar",
    removed: "Esta nota se eliminó o se movió a la papelera.",
    move: "Cuaderno",
    tags: "Etiquetas",
    addTag: "Añadir una etiqueta",
    removeTag: (name) => `Quitar ${name}`,
    words: (count) => counted(count, "palabra", "palabras"),
    history: "Historial",
    activity: "Qué ha ocurrido",
    share: "Compartir",
    reminders: "Recordatorios",
    comments: "Comentarios",
    attach: "Adjuntar un archivo"
  },

  saving: {
    saved: "Guardado",
    saving: "Guardando…",
    typing: "Aún sin guardar",
    offline: "Sin conexión: se conserva en este dispositivo",
    conflict: "Necesita su decisión",
    refused: "No guardado",
    unstored: "Este navegador no puede conservar el texto. No cierre la página.",
    merged: "Combinado con otro cambio",
    compare: "Comparar"
  },
  gone: "La nota se eliminó mientras usted escribía. Su texto se conserva aquí.",
  saveAsNew: "Guardar como nota nueva",
  discard: "Descartar mi texto",
  discardConfirm: "¿Descartar el texto sin guardar? No se puede deshacer.",

  waiting: {
    count: (count) => counted(count, "texto espera", "textos esperan"),
    show: "Mostrar",
    sent: "El texto se guardó entretanto."
  },

  noWorkspace: "Ya no es miembro de este espacio de trabajo, o se eliminó.",
  openOwnWorkspace: "Abrir mi propio espacio de trabajo",
  editorOffline: "El editor no se puede cargar sin el servidor. Su texto se conserva en este dispositivo.",
  restored: (when) =>
    `El servidor se restauró a partir de una copia de seguridad${when === undefined ? "" : ` de ${when}`}. Faltan los cambios posteriores, salvo que un dispositivo los envíe de nuevo. Su texto sin guardar se conserva.`,
  newVersionOfServer: "El servidor se ha actualizado. Recargue la página para continuar; su texto se conserva.",
  reload: "Recargar"
}
