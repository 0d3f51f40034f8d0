import type { Translation } from "../Translation.ts"

export const icons: Translation["icons"] = {
  archive: "归档",
  bell: "铃铛",
  book: "书",
  bookmark: "书签",
  box: "盒子",
  briefcase: "公文包",
  bug: "虫子",
  calendar: "日历",
  camera: "相机",
  cart: "购物车",
  chart: "图表",
  chat: "聊天",
  check: "对勾",
  clock: "时钟",
  cloud: "云",
  code: "代码",
  coffee: "咖啡",
  compass: "指南针",
  cup: "杯子",
  database: "数据库",
  document: "文档",
  earth: "地球",
  film: "电影",
  flag: "旗帜",
  flask: "烧瓶",
  folder: "文件夹",
  game: "游戏",
  gear: "齿轮",
  gift: "礼物",
  graduation: "毕业",
  heart: "心",
  home: "房屋",
  inbox: "收件箱",
  key: "钥匙",
  lamp: "台灯",
  leaf: "叶子",
  lightbulb: "灯泡",
  link: "链接",
  list: "列表",
  lock: "锁",
  mail: "信件",
  map: "地图",
  megaphone: "扩音器",
  moon: "月亮",
  music: "音乐",
  notebook: "笔记本",
  paint: "颜料",
  paperclip: "回形针",
  pen: "笔",
  people: "人群",
  phone: "电话",
  photo: "照片",
  pin: "图钉",
  plane: "飞机",
  puzzle: "拼图",
  rocket: "火箭",
  shield: "盾牌",
  star: "星星",
  sun: "太阳",
  tag: "标签",
  target: "靶子",
  tools: "工具",
  tree: "树",
  trophy: "奖杯",
  umbrella: "雨伞",
  user: "人",
  wallet: "钱包",
  wrench: "扳手"
}

export const editor: Translation["editor"] = {
  Find: "查找",
  Replace: "替换",
  next: "下一个",
  previous: "上一个",
  all: "全部",
  "match case": "区分大小写",
  regexp: "正则表达式",
  "by word": "全字匹配",
  replace: "替换",
  "replace all": "全部替换",
  close: "关闭",
  "current match": "当前匹配项",
  "on line": "所在行",
  "replaced match on line $": "已替换第 $ 行的匹配项",
  "replaced $ matches": "已替换 $ 个匹配项",
  "Control character": "控制字符",
  "Selection deleted": "已删除所选内容",
  Completions: "建议"
}

export const looks: Translation["looks"] = {
  notebookName: "笔记本名称",
  topLevel: "顶层",
  notebookDialogs: { create: "新建笔记本", edit: "编辑笔记本", move: "移动到…" },
  colors: {
    label: "颜色",
    none: "无颜色",
    other: "其他颜色",
    names: {
      red: "红色",
      orange: "橙色",
      yellow: "黄色",
      green: "绿色",
      teal: "青色",
      blue: "蓝色",
      violet: "紫色",
      pink: "粉色",
      brown: "棕色",
      grey: "灰色"
    }
  },
  icons: { label: "图标", none: "无" }
}

export const writing: Translation["writing"] = {
  formatting: {
    name: "格式",
    show: "显示格式栏",
    hide: "隐藏格式栏",
    heading: "小标题",
    bold: "粗体",
    italic: "斜体",
    struck: "删除线",
    code: "代码",
    link: "链接",
    bullets: "项目符号列表",
    numbers: "编号列表",
    tasks: "任务",
    indent: "增加缩进 (Tab)",
    outdent: "减少缩进 (Shift-Tab)"
  },
  blocks: {
    heading: (level) => `小标题 ${level}`,
    bullets: "项目符号列表",
    numbers: "编号列表",
    task: "任务",
    table: "表格",
    columns: ["列", "列"],
    callout: "标注",
    calloutTitle: "标题",
    code: "代码块",
    date: "今天的日期",
    link: "链接到笔记",
    file: "图片或文件",
    template: (name) => `模板：${name}`
  },
  newNote: (title) => `新建笔记“${title}”`,
  follow: (key) => `${key}-点击或 Alt-Enter 打开链接`,
  imageWidth: "图片宽度",
  ticked: "已完成",
  unticked: "待办"
}

export const charts: Translation["charts"] = {
  table: "以表格显示",
  time: "时间",
  none: "–"
}

export const appearance: Translation["appearance"] = {
  title: "外观",
  lead: "这些选择只对此设备有效。",
  command: (label, value) => `${label}：${value}`,
  theme: {
    label: "主题",
    values: { system: ["跟随系统", "颜色 自动"], light: ["浅色", "颜色 白天 明亮"], dark: ["深色", "颜色 夜间"] }
  },
  size: {
    label: "文字大小",
    values: {
      normal: ["标准", "字体 字号"],
      small: ["小", "字体 字号 缩小"],
      large: ["大", "字体 字号 放大"],
      larger: ["特大", "字体 字号 放大"]
    }
  },
  width: { label: "文字宽度", values: { normal: ["标准", "栏 行 窄"], wide: ["宽", "栏 行"] } }
}
