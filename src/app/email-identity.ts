import type { Brand } from '#platform/mail/message.ts';
import type { Sender } from '#platform/notices/notice.ts';
import { clubColours } from '#wire/club-colours.ts';
import { initials } from '#ui/identity.ts';

/** The initials and colours of a club in emails. */
export function identityOf({ id, name }: Sender): Pick<Brand, 'initials' | 'light' | 'dark'> {
  const { light, dark } = clubColours(id);
  return {
    initials: initials(name),
    light: { ground: light.main, ink: light.ink },
    dark: { ground: dark.main, ink: dark.ink },
  };
}
