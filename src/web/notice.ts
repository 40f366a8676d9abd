/** Why the user was led to home, which shows it once. */
let notice: string | undefined;

export const leaveNotice = (text: string): void => void (notice = text);

export function takeNotice(): string | undefined {
  const taken = notice;
  notice = undefined;
  return taken;
}
