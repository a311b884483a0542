/** Joins the names of classes that hold. */
export function classNames(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

/** The names under which the style sheet keeps its soft colours; options of a field are stored under the same. */
export const tints = ['gray', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'indigo', 'purple', 'pink'] as const

/** The same text has the same tint, on every screen and every day. Grey stands for no colour. */
export function tintOf(text: string): (typeof tints)[number] {
  let hash = 7
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return tints[1 + (Math.abs(hash) % (tints.length - 1))] ?? 'gray'
}
