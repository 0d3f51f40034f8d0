import type { Translation } from "../Translation.ts"

export const icons: Translation["icons"] = {
  archive: "archivo",
  bell: "campana",
  book: "libro",
  bookmark: "marcador",
  box: "caja",
  briefcase: "maletín",
  bug: "bicho",
  calendar: "calendario",
  camera: "cámara",
  cart: "carrito",
  chart: "gráfico",
  chat: "conversación",
  check: "marca",
  clock: "reloj",
  cloud: "nube",
  code: "código",
  coffee: "café",
  compass: "brújula",
  cup: "taza",
  database: "base de datos",
  document: "documento",
  earth: "Tierra",
  film: "película",
  flag: "bandera",
  flask: "matraz",
  folder: "carpeta",
  game: "juego",
  gear: "engranaje",
  gift: "regalo",
  graduation: "graduación",
  heart: "corazón",
  home: "casa",
  inbox: "bandeja de entrada",
  key: "llave",
  lamp: "lámpara",
  leaf: "hoja",
  lightbulb: "bombilla",
  link: "enlace",
  list: "lista",
  lock: "candado",
  mail: "carta",
  map: "mapa",
  megaphone: "megáfono",
  moon: "luna",
  music: "música",
  notebook: "cuaderno",
  paint: "pintura",
  paperclip: "clip",
  pen: "bolígrafo",
  people: "personas",
  phone: "teléfono",
  photo: "foto",
  pin: "chincheta",
  plane: "avión",
  puzzle: "rompecabezas",
  rocket: "cohete",
  shield: "escudo",
  star: "estrella",
  sun: "sol",
  tag: "etiqueta",
  target: "diana",
  tools: "herramientas",
  tree: "árbol",
  trophy: "trofeo",
  umbrella: "paraguas",
  user: "persona",
  wallet: "cartera",
  wrench: "llave inglesa"
}

export const editor: Translation["editor"] = {
  Find: "Buscar",
  Replace: "Sustituir",
  next: "siguiente",
  previous: "anterior",
  all: "todo",
  "match case": "Mayúsculas y minúsculas",
  regexp: "Expresión regular",
  "by word": "Palabras completas",
  replace: "sustituir",
  "replace all": "sustituir todo",
  close: "cerrar",
  "current match": "resultado actual",
  "on line": "en la línea",
  "replaced match on line $": "resultado sustituido en la línea $",
  "replaced $ matches": "$ resultados sustituidos",
  "Control character": "Carácter de control",
  "Selection deleted": "Selección eliminada",
  Completions: "Sugerencias"
}

export const looks: Translation["looks"] = {
  notebookName: "Nombre del cuaderno",
  topLevel: "Nivel superior",
  notebookDialogs: { create: "Nuevo cuaderno", edit: "Editar el cuaderno", move: "Mover a…" },
  colors: {
    label: "Color",
    none: "Sin color",
    other: "Otro color",
    names: {
      red: "Rojo",
      orange: "Naranja",
      yellow: "Amarillo",
      green: "Verde",
      teal: "Turquesa",
      blue: "Azul",
      violet: "Violeta",
      pink: "Rosa",
      brown: "Marrón",
      grey: "Gris"
    }
  },
  icons: { label: "Icono", none: "ninguno" }
}

export const writing: Translation["writing"] = {
  formatting: {
    name: "Formato",
    show: "Mostrar la barra de formato",
    hide: "Ocultar la barra de formato",
    heading: "Encabezado",
    bold: "Negrita",
    italic: "Cursiva",
    struck: "Tachado",
    code: "Código",
    link: "Enlace",
    bullets: "Lista con viñetas",
    numbers: "Lista numerada",
    tasks: "Tareas",
    indent: "Aumentar la sangría (Tab)",
    outdent: "Reducir la sangría (Shift-Tab)"
  },
  blocks: {
    heading: (level) => `Encabezado ${level}`,
    bullets: "Lista con viñetas",
    numbers: "Lista numerada",
    task: "Tarea",
    table: "Tabla",
    columns: ["Columna", "Columna"],
    callout: "Recuadro",
    calloutTitle: "Título",
    code: "Bloque de código",
    date: "Fecha de hoy",
    link: "Enlace a una nota",
    file: "Imagen o archivo",
    template: (name) => `Plantilla: ${name}`
  },
  newNote: (title) => `Nueva nota «${title}»`,
  follow: (key) => `${key}-clic o Alt-Enter abre el enlace`,
  imageWidth: "Ancho de la imagen",
  ticked: "Hecha",
  unticked: "Pendiente"
}

export const charts: Translation["charts"] = {
  table: "Mostrar como tabla",
  time: "Hora",
  none: "–"
}

export const appearance: Translation["appearance"] = {
  title: "Apariencia",
  lead: "Estas opciones valen en este dispositivo.",
  command: (label, value) => `${label}: ${value}`,
  theme: {
    label: "Tema",
    values: {
      system: ["Como el sistema", "colores automático"],
      light: ["Claro", "colores día"],
      dark: ["Oscuro", "colores noche"]
    }
  },
  size: {
    label: "Tamaño del texto",
    values: {
      normal: ["Normal", "letra fuente"],
      small: ["Pequeño", "letra fuente"],
      large: ["Grande", "letra fuente ampliar zoom"],
      larger: ["Más grande", "letra fuente ampliar zoom"]
    }
  },
  width: {
    label: "Ancho del texto",
    values: { normal: ["Normal", "columna líneas estrecho"], wide: ["Ancho", "columna líneas"] }
  }
}
