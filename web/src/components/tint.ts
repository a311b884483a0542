/** The names under which the style sheet keeps its soft colours; options of a field are stored under the same. */
export const tints = ['gray', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'indigo', 'purple', 'pink'] as const
type Tint = (typeof tints)[number]

/** The same text has the same tint, on every screen and every day. Grey is for what has no colour. */
export function tintOf(text: string): Tint {
  let hash = 7
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return tints[1 + (Math.abs(hash) % (tints.length - 1))] ?? 'gray'
}
