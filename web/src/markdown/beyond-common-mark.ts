type Content = { type: string; value?: string; tagName?: string; properties?: object; children?: Content[] }

/**
 * Lays out two things that the editor writes and CommonMark does not know: ~~what is struck~~ and "- [x] what is
 * done".
 */
export function beyondCommonMark() {
  return (tree: Content): void => walk(tree)
}

function walk(node: Content): void {
  // What is written as code stays as it is written.
  if (node.tagName === 'code') return
  if (node.tagName === 'li') tick(node)
  node.children = node.children?.flatMap((child) => (child.type === 'text' ? struck(child) : [child]))
  for (const child of node.children ?? []) walk(child)
}

function struck(text: Content): Content[] {
  const parts = (text.value ?? '').split(/~~(?=\S)(.+?)~~/)
  return parts.flatMap((value, index) => {
    if (value === '') return []
    const part = { type: 'text', value }
    return [index % 2 === 0 ? part : { type: 'element', tagName: 'del', properties: {}, children: [part] }]
  })
}

function tick(item: Content): void {
  const paragraph = item.children?.find(({ tagName }) => tagName === 'p')
  const line = paragraph ?? item
  const first = line.children?.[0]
  const box = first?.type === 'text' ? /^\[([ xX])\]\s/.exec(first.value ?? '') : null
  if (!box || !first || !line.children) return
  first.value = first.value?.slice(box[0].length) ?? ''
  const done = box[1] !== ' '
  item.properties = { ...item.properties, className: ['task'] }
  const ariaLabel = done ? 'Done' : 'Not done'
  const properties = { type: 'checkbox', className: ['tick'], checked: done, disabled: true, ariaLabel }
  line.children.unshift({ type: 'element', tagName: 'input', properties, children: [] })
}
