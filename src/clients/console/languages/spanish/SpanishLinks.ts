import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("es")

export const links: Translation["links"] = {
  candidates: {
    title: (target) => `«${target}» puede referirse a varias notas`,
    lead: "Elija la nota que quiere abrir."
  },
  preview: {
    missing: "Ninguna nota tiene este nombre. Un clic la crea.",
    deleted: "Esta nota no está aquí.",
    ambiguous: "Varias notas tienen este nombre. Un clic las ofrece.",
    empty: "La nota no tiene texto.",
    follow: (key) => `${key}-clic la abre.`
  },
  backlinks: {
    count: (links, notes) => `${counted(links, "enlace", "enlaces")} en ${counted(notes, "nota", "notas")}`,
    atLeast: (count) => `${count} y más`,
    none: "Ninguna nota enlaza con esta.",
    offline: "Solo el servidor conoce los enlaces, y no se puede acceder a él.",
    more: "Mostrar más",
    broken: "Enlaces de esta nota a ninguna nota o a varias",
    missing: "Ninguna nota tiene este nombre: crearla",
    ambiguous: "Varias notas tienen este nombre: elegir una",
    deleted: "La nota con este identificador no está aquí",
    mentions: "Menciones sin enlace",
    link: "Enlazar",
    linkAll: "Enlazar todas",
    changed: "Las notas que han cambiado entretanto quedan como están."
  },
  renamed: {
    ask: (notes, title) =>
      `${counted(notes, "nota enlaza", "notas enlazan")} con «${title}» por su título o ruta anterior.`,
    always: "Hacerlo siempre",
    update: "Actualizar enlaces",
    keep: "Dejar",
    updated: (notes) => `Se han actualizado los enlaces de ${counted(notes, "nota", "notas")}.`
  }
}

export const tasks: Translation["tasks"] = {
  label: "Qué tareas",
  views: { today: "Hoy", overdue: "Atrasadas", upcoming: "Próximas", open: "Todas las pendientes", notes: "Por nota" },
  allNotebooks: "Todos los cuadernos",
  empty: {
    today: "Nada vence ni está previsto para hoy.",
    overdue: "Nada está atrasado.",
    upcoming: "Nada vence ni está previsto después de hoy.",
    open: "No hay tareas pendientes. Una línea como «- [ ] comprar leche» en una nota es una tarea.",
    notes: "No hay tareas pendientes. Una línea como «- [ ] comprar leche» en una nota es una tarea."
  },
  due: (text) => `Vencimiento: ${text}`,
  dueOn: (date) => `vence el ${date}`,
  planned: (date) => `previsto el ${date}`,
  dates: { today: "Hoy", tomorrow: "Mañana", week: "En una semana", other: "Otro día…", none: "Sin fecha" },
  day: "Vencimiento",
  priority: (text) => `Prioridad: ${text}`,
  priorities: {
    highest: "prioridad máxima",
    high: "prioridad alta",
    medium: "prioridad media",
    low: "prioridad baja",
    lowest: "prioridad mínima"
  },
  noPriority: "sin prioridad",
  moved: "Esta tarea ha cambiado. La lista la muestra como está ahora.",
  more: "Mostrar más"
}

export const properties: Translation["properties"] = {
  title: "Propiedades",
  add: "Añadir una propiedad",
  name: "Nombre de la propiedad",
  kind: "Tipo",
  kinds: { text: "Texto", number: "Número", date: "Fecha", boolean: "Casilla", list: "Lista" },
  addItem: "Añadir un elemento",
  source: "Mostrar la fuente",
  fixed: "Estas propiedades solo se pueden cambiar en su fuente."
}

export const propertyFilter: Translation["propertyFilter"] = {
  title: "Filtrar por una propiedad",
  property: "Propiedad",
  apply: "Filtrar",
  comparison: "Comparación",
  comparisons: {
    is: "es",
    contains: "contiene",
    on: "el",
    before: "antes del",
    after: "después del",
    yes: "sí",
    no: "no",
    set: "tiene un valor",
    unset: "no tiene valor"
  },
  value: "Valor",
  none: "Ninguna nota tiene propiedades."
}
