type Tag = { weak: boolean; text: string }

const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(,|$)/y

/** The tags of a list; undefined if it is malformed. */
export function tagsIn(header: string): Tag[] | undefined {
  const tags: Tag[] = []
  TAG.lastIndex = 0
  for (;;) {
    const found = TAG.exec(header)
    if (!found) return undefined
    tags.push({ weak: found[1] !== undefined, text: found[2] ?? '' })
    if (found[3] === '') return tags
  }
}
