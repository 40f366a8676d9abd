import { Phone } from 'lucide-react';
import { api } from '#web/api.ts';
import { showToast } from '#web/copy.ts';
import { explain } from '#web/explain.ts';
import { useSubmit } from '#web/useSubmit.ts';
import { fullName } from '#features/members/rules.ts';
import { cn } from '#ui/class-names.ts';
import { IconButton } from '#ui/IconButton.tsx';
import { phoneHref } from '#wire/phone.ts';
import { t } from '#features/members/contact-messages.ts';

type CallButtonProps = {
  /** The id or slug of the club. */
  club: string;
  member: { id: string; first_name: string; last_name: string };
  className?: string;
};

/**
 * Calls a member who lets the viewer see their phone. The number is loaded for the call, and then shown for devices that
 * cannot call.
 */
export function CallButton({ club, member, className }: CallButtonProps) {
  const name = fullName(member);
  const call = useSubmit({
    mutationFn: () => api.members.phone({ club, user: member.id }),
    onSuccess: ({ phone }) => location.assign(phoneHref(phone)),
    onError: (failure) => showToast({ title: t('noNumber', { name }), text: explain(failure) }),
  });
  if (call.data)
    return (
      <a
        href={phoneHref(call.data.phone)}
        aria-label={`${t('call', { name })}, ${call.data.phone}`}
        className="-my-2 inline-flex min-h-11 items-center text-accent underline underline-offset-4 tabular-nums"
      >
        {call.data.phone}
      </a>
    );
  return (
    <IconButton
      icon={Phone}
      tone="accent"
      label={t('call', { name })}
      disabled={call.isPending}
      className={cn('-my-2 offline:hidden', className)}
      onClick={() => call.mutate()}
    />
  );
}
