import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { removePicture, updatePicture } from '../../../api/account.ts'
import { problemsOf } from '../../../api/problems.ts'
import { membersQuery, useMembers, useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { UserAvatar } from '../../../user-avatar.tsx'
import { resizePicture } from './resize-picture.ts'

const NO_IMAGE = 'This file is not an image that your browser can read. Choose a PNG, a JPEG or a WebP image.'

/** The picture of the user, which all members of their workspaces see. */
export function Picture({ user }: { user: { id: string; name: string } }) {
  const input = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const members = membersQuery(useSlug())
  const has = useMembers().some(({ id, picture }) => id === user.id && picture !== null)
  const saving = useMutation({
    mutationFn: async (file: File | undefined) => {
      if (!file) return removePicture()
      const data = await resizePicture(file).catch(() => Promise.reject(new Error(NO_IMAGE)))
      return updatePicture(data)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: members.queryKey }),
  })
  const choose = () => {
    const file = input.current?.files?.[0]
    if (file) saving.mutate(file)
    // The same file can be chosen again.
    if (input.current) input.current.value = ''
  }
  const problem = saving.error && (problemsOf(saving.error, []).general ?? saving.error.message)
  return (
    <div className="flex items-center gap-4">
      <UserAvatar id={user.id} name={user.name} size={64} />
      <div className="grid gap-2">
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            accept="image/*"
            aria-label="Picture"
            tabIndex={-1}
            onChange={choose}
            className="sr-only"
          />
          <Button size="small" disabled={saving.isPending} onClick={() => input.current?.click()}>
            {has ? 'Change the picture' : 'Upload a picture'}
          </Button>
          {has && (
            <Button size="small" look="quiet" disabled={saving.isPending} onClick={() => saving.mutate(undefined)}>
              Remove
            </Button>
          )}
        </div>
        <p className="text-xs text-faint">Shown to the members of your workspaces.</p>
        <FormProblem text={problem ?? undefined} />
      </div>
    </div>
  )
}
