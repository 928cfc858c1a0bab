/** Whether the canvas is being panned. Work that can wait checks this. */

let moving = false;

export function isViewMoving(): boolean {
  return moving;
}

export function setViewMoving(value: boolean): void {
  moving = value;
}
