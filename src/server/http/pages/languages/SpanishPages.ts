import { fields, problems } from "../../../../../services/languages/SpanishProblems.ts"
import type { PageTexts } from "./EnglishPages.ts"
import { sentencesOf } from "./ProblemSentences.ts"

const sentences = sentencesOf(
  "es",
  { fields, problems },
  (problem, time) => `${problem} Inténtelo de nuevo en ${time}.`
)

const may = {
  viewer: "lee notas",
  editor: "lee y escribe notas",
  admin: "lee y escribe notas, y gestiona miembros",
  owner: "puede hacer todo en él"
}
const roles = { viewer: "lector", editor: "redactor", admin: "administrador", owner: "propietario" }

export const spanish: PageTexts = {
  lang: "es",
  ...sentences,
  busy: "El servidor está ocupado. Inténtelo de nuevo en unos segundos.",
  wrongTitle: (title) => `Se ha producido un error: ${title}`,
  copy: "Copiar",
  copied: "Copiado",
  needsScript: "Sheaf necesita JavaScript.",

  labels: {
    code: "Código, o código de recuperación",
    email: "Dirección de correo",
    name: "Nombre",
    password: "Contraseña",
    new_password: "Contraseña nueva"
  },
  nameHint: "Como lo ven los demás. Puede dejarlo vacío.",
  passwordHint: "Al menos 10 caracteres.",
  openSheaf: "Abrir Sheaf",
  signedIn: "Ha iniciado sesión.",
  signedInAs: (email) => `Ha iniciado sesión como ${email}.`,

  unavailable: ["El servidor está ocupado", "Inténtelo de nuevo en unos segundos."],
  throttled: ["Demasiados intentos", "Espere unos minutos e inténtelo de nuevo."],

  invitation: {
    title: (workspace) => `Unirse a ${workspace}`,
    lead: (inviter, email, workspace, role) =>
      `${inviter} invita a ${email} al espacio de trabajo ${workspace}, con el rol ${roles[role]} (${may[role]}).`,
    may,
    until: (time) => `La invitación está abierta hasta ${time}.`,
    isNew: "Aún no tengo cuenta",
    newLead: "Crear una cuenta y unirse.",
    create: "Crear cuenta y unirse",
    hasAccount: "Tengo una cuenta",
    accountLead: "Introduzca su contraseña para unirse.",
    forgot: "¿Olvidó la contraseña?",
    join: "Unirse",
    footer: (request) =>
      `Si ha iniciado sesión en una aplicación, esta puede aceptar la invitación con ${request} y el token de este enlace.`,
    wrongPassword: "La contraseña no es correcta, o aún no hay ninguna cuenta con esta dirección.",
    isKnown: "Ya hay una cuenta con esta dirección: introduzca su contraseña en «Tengo una cuenta».",
    joined: (workspace) => `Se ha unido a ${workspace}`,
    member: (email, workspace) => `${email} es ahora miembro del espacio de trabajo ${workspace}.`,
    signInToOpen: "Inicie sesión con esta dirección para abrir el espacio de trabajo.",
    ready: "Su cuenta está lista",
    failed: (email, workspace, isSignedIn, problem) =>
      `${isSignedIn ? "Ha iniciado sesión como" : "Puede iniciar sesión con"} ${email}. Pero la invitación a ${workspace} no se pudo aceptar: ${problem}`,
    askAgain: "Pida otra invitación.",
    unknown: [
      "Esta invitación ya no es válida",
      "Compruebe que el enlace está completo. Si la invitación se envió de nuevo, solo funciona el enlace del correo más reciente."
    ],
    expired: ["La invitación ha caducado", "Pida a la persona que le invitó que la envíe de nuevo."]
  },

  signIn: {
    by: (provider) => `Continuar con ${provider}`,
    done: "Ha iniciado sesión",
    confirmed: "Su presencia está confirmada",
    close: "Cierre esta página y continúe en Sheaf.",
    failed: "No se pudo iniciar sesión",
    refused: (provider) => ({
      closed: [
        "Este servidor no tiene una cuenta para usted",
        `Solo las personas invitadas pueden registrarse. Abra el enlace de su invitación y continúe allí con ${provider}.`
      ],
      declined: [
        `${provider} no ha iniciado su sesión`,
        "El inicio de sesión se canceló o se rechazó allí. Empiece de nuevo."
      ],
      ended: [
        "Este inicio de sesión ha terminado",
        "Funciona una vez, en el navegador en el que empezó y durante diez minutos. Empiece de nuevo."
      ],
      invalid: [
        "El inicio de sesión no es válido",
        `La respuesta de ${provider} no superó las comprobaciones. Empiece de nuevo. Si vuelve a ocurrir, pregunte al operador de este servidor.`
      ],
      knownAddress: [
        "Ya existe una cuenta con su dirección",
        `Inicie sesión como hasta ahora. Después conecte ${provider} en los ajustes de la cuenta.`
      ],
      linkedElsewhere: [
        "Este inicio de sesión pertenece a otra cuenta",
        `El usuario de ${provider} está conectado con otra cuenta de este servidor.`
      ],
      noAddress: [
        `${provider} no ha indicado ninguna dirección de correo`,
        "Una cuenta necesita una. Pregunte al operador de este servidor."
      ],
      notLinked: [
        `${provider} no está conectado con su cuenta`,
        "El enlace ya se usó, ha caducado o pertenece a otro inicio de sesión."
      ],
      otherAddress: [
        "La invitación es para otra dirección",
        `${provider} ha indicado otra dirección o no ha verificado la suya.`
      ],
      tooMany: [
        "La cuenta tiene demasiados inicios de sesión",
        "Desconecte antes uno de ellos en los ajustes de la cuenta."
      ],
      unknownProvider: ["No existe ese proveedor", "Compruebe la dirección."],
      unreachable: [
        `No se puede acceder a ${provider}`,
        "Inténtelo de nuevo en un minuto. Si sigue así, pregunte al operador de este servidor."
      ]
    })
  },

  mailed: {
    reset: {
      title: "Restablecer su contraseña",
      intro: "Introduzca la dirección de correo de su cuenta. Recibirá un enlace para elegir una contraseña nueva.",
      life: "Un enlace funciona una vez, durante una hora.",
      sent: (email) =>
        `Ha introducido ${email}. Si hay una cuenta con esta dirección, un correo con un enlace está en camino. Un enlace funciona una vez, durante una hora.`
    },
    confirmation: {
      title: "Confirmar su dirección",
      intro: "Introduzca la dirección de correo de su cuenta. Recibirá un enlace que la confirma.",
      life: "Un enlace funciona durante siete días.",
      sent: (email) =>
        `Ha introducido ${email}. Si hay una cuenta con esta dirección y aún no está confirmada, un correo con un enlace está en camino. Un enlace funciona durante siete días.`
    },
    send: "Enviar enlace",
    check: "Revise su correo",
    noMail: "Si no llega ningún correo, compruebe la dirección y la carpeta de correo no deseado.",
    expired: "Este enlace ha caducado",
    broken: "Este enlace no funciona",
    why: "Ya se usó, ha caducado o está incompleto."
  },

  password: {
    title: "Elegir una contraseña nueva",
    lead: "La sesión se cerrará en todos los dispositivos, que necesitarán la contraseña nueva.",
    change: "Cambiar la contraseña",
    changed: "Su contraseña ha cambiado",
    signedOut: (email) => `Ha iniciado sesión como ${email}. La sesión se cerró en todos los demás dispositivos.`,
    signIn: (email) => `Inicie sesión con ${email} y la contraseña nueva. La sesión se cerró en todos los dispositivos.`
  },

  confirm: {
    title: "Confirmar su dirección",
    question: (url, email) => `Una cuenta en ${url} usa la dirección ${email}. ¿Es suya la cuenta?`,
    ifNot: "Si no la conoce, cierre esta página: la dirección queda sin confirmar.",
    button: "Confirmar la dirección",
    confirmed: "Su dirección está confirmada",
    done: (email) => `${email} está confirmada. Puede cerrar esta página.`
  },

  setup: {
    title: "Crear la primera cuenta",
    lead: "Es propietaria del primer espacio de trabajo y administra el servidor. Después podrá traer sus notas.",
    create: "Crear la cuenta",
    ready: "Su cuenta está lista",
    signIn: (email) => `Inicie sesión con ${email} y su contraseña para importar notas y conectar aplicaciones.`,
    continue: "Continuar",
    showKey: "Mostrar una clave para scripts",
    key: "Clave de API",
    keyHint: (docs) =>
      `Puede hacer todo en su espacio de trabajo, y no se muestra de nuevo. ${docs}La documentación</a> (en inglés) describe la API.`,
    expired: ["Este enlace ha caducado", "Un enlace funciona durante una hora. Reinicie Sheaf: muestra otro."],
    broken: [
      "Este enlace no funciona",
      "Ya se usó, está incompleto, o una cuenta ya tiene contraseña. Si lo ha usado, inicie sesión en su aplicación.",
      "Sheaf muestra otro enlace en cada inicio mientras ninguna cuenta tenga contraseña."
    ]
  },

  share: {
    updated: (date) => `Actualizada el ${date}`,
    empty: "Esta nota está vacía.",
    footer: "Una nota compartida con Sheaf",
    protectedTitle: "Una nota protegida",
    protected: "Esta nota está protegida",
    askPassword: "Pida la contraseña a la persona que la compartió con usted.",
    open: "Abrir",
    wrongPassword: "La contraseña no es correcta.",
    notFound: ["No encontrada", "Compruebe que el enlace está completo. Puede que la nota ya no se comparta."],
    expired: ["Este enlace ha caducado", "Pida otro a la persona que se lo envió."]
  },

  problemPage: {
    notFound: ["Página no encontrada", "Compruebe la dirección."],
    heading: (_title) => "No ha funcionado",
    ofApi:
      "Esta dirección pertenece a la API, que es para programas. Cada solicitud necesita un token de acceso o una clave de API.",
    ways: (start, docs) =>
      `Continuar a ${start}la página de inicio</a> o a ${docs}la referencia de la API (en inglés)</a>.`,
    status: (status) => `estado ${status}`,
    cause: "Causa (en inglés)",
    remedy: "Solución (en inglés)",
    all: (docs) => `${docs}Todos los problemas y las operaciones que los devuelven (en inglés)</a>`,
    footer: (code, request) => `Problema ${code}, solicitud ${request}`
  }
}
