import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2, Mail } from 'lucide-react'
import { invitationsQuery, withdrawInvitation } from '../../../api/invitations.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMoment } from '../../../format/moments.ts'
import { Rows, Section } from '../page.tsx'
import { roleNames } from '../role-words.ts'

/** Invitations that are not accepted yet. */
export function OpenInvitations() {
  const slug = useSlug()
  const queries = useQueryClient()
  const { data: invitations = [] } = useQuery(invitationsQuery(slug))
  const withdrawing = useMutation({
    mutationFn: (id: string) => withdrawInvitation(slug, id),
    onSuccess: () => showToast({ message: 'Withdrew the invitation. Its link no longer works.' }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsQuery(slug).queryKey }),
  })
  if (invitations.length === 0) return null
  return (
    <Section title="Open invitations">
      <Rows label="Open invitations">
        {invitations.map(({ id, email, role, invited_by, created_at, expires_at }) => {
          const Icon = email ? Mail : Link2
          const named = email ?? 'Anyone with the link'
          return (
            <li key={id} className="flex items-center gap-3 py-2.5">
              <span className="grid size-8 shrink-0 place-items-center text-faint">
                <Icon aria-hidden className="size-4" />
              </span>
              <div className="min-w-0 flex-1">
                <p className="truncate text-sm font-medium">{named}</p>
                <p className="truncate text-xs text-faint" title={`Until ${formatMoment(expires_at)}`}>
                  {roleNames[role]} · by {invited_by.name} {formatAgo(created_at)}
                </p>
              </div>
              <Button
                size="small"
                disabled={withdrawing.isPending}
                aria-label={`Withdraw the invitation of ${named}`}
                onClick={() => withdrawing.mutate(id)}
              >
                Withdraw
              </Button>
            </li>
          )
        })}
      </Rows>
    </Section>
  )
}
