#include "redis/script_texts.h"

namespace weir::redis {

// Groups of hits, decided one after the other in the order given.  An argument a hit:
//
//   <BBBBddddddddd  algorithm (0 bucket, 1 fixed, 2 sliding, 3 calendar month),
//                   operation (0 charge, 1 add beyond the limit too, 2 refund, 3 hand back,
//                   4 hand back up to the limit),
//                   role (0 by itself, 1 enforcing, 2 without a say, 3 only looked at, 4 soft:
//                   without a say but that all of them together deny, 5 by itself unless another of
//                   the group goes over and it does not: then only looked at, 6 so in any case),
//                   1 at the last hit of a group, + 2 where a level may be carried,
//                   cost, limit or tolerance, window, shift, life in seconds, tick charged or -1,
//                   units of the cost, epoch (0: none is kept) and its shift
//
// A carried hit has a second key, the one under the old quota, and a second argument:
//
//   <BBBBdddd       old algorithm, unused, unused, unused,
//                   old limit or tolerance, old window, old shift, what its whole is worth now
//
// Where an epoch is kept, the packed string ends with its start, the units admitted in it and those
// admitted in the one before.
const std::string_view kGeneralText = R"lua(#!lua
local call,pcall,unpack,pack=redis.call,redis.pcall,struct.unpack,struct.pack
local fmod,floor,min,max=math.fmod,math.floor,math.min,math.max
local FOREIGN=-9007199254740992
local MOST=1099511627775
local DAY=1382400000000
local t=call('TIME')
local now=(t[1]-1735689600)*16000000+t[2]*16
if ARGV[1]~='' then now=tonumber(ARGV[1]) end
local function wide(a,b)
  local a0,b0=fmod(a,33554432),fmod(b,33554432)
  local a1,b1=(a-a0)/33554432,(b-b0)/33554432
  local low=a0*b0
  local l0=fmod(low,33554432)
  local mid=a1*b0+a0*b1+(low-l0)/33554432
  local m0=fmod(mid,33554432)
  return a1*b1+(mid-m0)/33554432,m0*33554432+l0
end
local function atmost(a,b,c,d)
  local x,y=a*b,c*d
  if x<9007199254740992 and y<9007199254740992 then return x<=y end
  if math.abs(x-y)>y/1125899906842624 then return x<y end
  local h1,l1=wide(a,b)
  local h2,l2=wide(c,d)
  return h1<h2 or (h1==h2 and l1<=l2)
end
local function divide(a,b,c)
  local x=a*b
  local r=fmod(x,c)
  return (x-r)/c,r>0
end
local function leap(y) return y%4==0 and (y%100~=0 or y%400==0) end
local MONTHS={31,28,31,30,31,30,31,31,30,31,30,31}
local function month(at)
  local day,y,start=floor(at/DAY),2025,0
  while day<0 do y=y-1 local n=leap(y) and 366 or 365 day=day+n start=start-n end
  while true do
    local n=leap(y) and 366 or 365
    if day<n then break end
    day=day-n start=start+n y=y+1
  end
  for m=1,12 do
    local n=MONTHS[m]
    if m==2 and leap(y) then n=29 end
    if day<n then return start*DAY,n*DAY,0 end
    day=day-n start=start+n
  end
end
local function span(kind,window,shift,at)
  if kind==3 then return month(at) end
  local into=fmod(at+shift,2*window)
  if into<0 then into=into+2*window end
  local odd=0
  if into>=window then into=into-window odd=1 end
  return at-into,window,kind==2 and odd or 0
end
local SIZES={[0]=8,16,32,16}
local FORMATS={[0]='<d','<dd','<dddd','<dd'}
local function fetch(key,kind)
  local raw=pcall('GET',key)
  if not raw then return {0,0,0,0,e={0,0,0}},true end
  local size=SIZES[kind]
  if #raw~=size and #raw~=size+24 then return end
  local a,b,c,d=unpack(FORMATS[kind],raw)
  local s
  if kind==0 then
    s={a==a and a or 0,0,0,0}
  elseif kind==2 then
    s={a,b,c,d}
  else
    s={a,b,0,0}
  end
  if #raw>size then s.e={unpack('<ddd',string.sub(raw,size+1))} else s.e={0,0,0} end
  return s
end
local function windows(s,start,window,odd)
  local c,p=2*odd+1,3-2*odd
  return s[c]==start and s[c+1] or 0,s[p]==start-window and s[p+1] or 0
end
local function carry(s,h,old)
  local kind,_,_,_,whole,window,shift,worth=unpack('<BBBBdddd',old.arg)
  local from=fetch(old.key,kind)
  if not from or whole==0 then return end
  local used
  if kind==0 then
    used=max(0,from[1]-now)
  else
    local start,length,odd=span(kind,window,shift,now)
    local current,previous=windows(from,start,length,odd)
    used=current
    if kind==2 then
      local q,r=divide(previous,start+length-now,length)
      used=used+q+(r and 1 or 0)
    end
  end
  used=min(used,whole)
  local q,r=divide(worth,used,whole)
  if h.kind==0 then
    if q>0 then s[1]=now+q s.old=old.key end
  else
    if r then q=q+1 end
    if used<whole and q==h.limit and q>0 then q=q-1 end
    if q>0 then
      local start,_,odd=span(h.kind,h.window,h.shift,now)
      s[2*odd+1],s[2*odd+2]=start,q
      s.old=old.key
    end
  end
end
local states,order={},{}
local function state(h)
  local s=states[h.key]
  if s==nil then
    local missing
    s,missing=fetch(h.key,h.kind)
    if not s then s={foreign=true} end
    s.h=h
    if missing and h.old then carry(s,h,h.old) end
    states[h.key]=s
  end
  return s
end
local function turn(s,h)
  local e=s.e
  local start=now-fmod(now+h.eshift,h.epoch)
  if e[1]~=start then
    e[3]=e[1]==start-h.epoch and e[2] or 0
    e[1],e[2]=start,0
  end
  return e
end
local function note(s,h,fits)
  if s.old then s.dirty=true end
  if h.epoch>0 and fits and h.units>0 and h.op<2 then
    local e=turn(s,h)
    e[2]=e[2]+h.units
    s.dirty=true
  end
end
local function step(s,h,spend)
  local cost,limit=h.cost,h.limit
  if h.kind==0 then
    local debt=min(max(0,s[1]-now),limit)
    local tat=s[1]
    local after,fits=debt,true
    if h.op==2 then
      after=max(0,debt-cost)
      tat=after==0 and 0 or now+after
    elseif h.op>2 then
      after=min(limit,debt+cost)
      if after>debt then tat=now+after end
    elseif cost>0 then
      if debt+cost>limit then fits=false else after=debt+cost tat=now+after end
    end
    if spend and fits and tat~=s[1] then s[1]=tat s.dirty=true end
    if spend then note(s,h,fits) end
    return fits,fits and after or -1-debt,0
  end
  local start,length,odd=span(h.kind,h.window,h.shift,now)
  local current,previous=windows(s,start,length,odd)
  if h.kind~=2 then previous=0 end
  local after,fits=current,true
  if h.op==2 then
    if current>0 and (h.charged<0 or span(h.kind,h.window,h.shift,h.charged)==start) then
      after=current-min(cost,current)
    end
  elseif h.op>2 then
    local most=h.op==4 and limit or MOST
    if current<most and (h.charged<0 or span(h.kind,h.window,h.shift,h.charged)==start) then
      after=min(current+cost,most)
    end
  elseif h.op==1 then
    after=min(current+cost,MOST)
    fits=after<=limit
  elseif cost>0 then
    if current+cost>limit then fits=false
    elseif h.kind==2 then fits=atmost(previous,start+length-now,limit-cost-current,length) end
    if fits then after=current+cost end
  end
  if spend and after~=current then
    s[2*odd+1],s[2*odd+2]=after==0 and 0 or start,after
    s.dirty=true
  end
  if spend then note(s,h,fits) end
  return fits,fits and after or -1-after,previous
end
local function look(s,h)
  local cost,op=h.cost,h.op
  h.cost,h.op=0,0
  local _,a,b=step(s,h,false)
  h.cost,h.op=cost,op
  return a,b
end
local out={now}
local function put(h,a,b)
  out[h.at],out[h.at+1]=a,b
  local fleet=h.epoch>0 and not h.s.foreign and turn(h.s,h)[3] or 0
  out[h.at+2]=h.still and -1-fleet or fleet
end
local function keep(saved,s)
  if not saved[s] then
    saved[s]={s[1],s[2],s[3],s[4],s.dirty or false,s.e[1],s.e[2],s.e[3]}
  end
end
local function restore(saved)
  for s,b in pairs(saved) do
    s[1],s[2],s[3],s[4],s.dirty=b[1],b[2],b[3],b[4],b[5]
    s.e={b[6],b[7],b[8]}
  end
end
local function refund(hits)
  for _,h in ipairs(hits) do
    if h.op==2 and not h.s.foreign then
      local _,a,b=step(h.s,h,true)
      put(h,a,b)
      h.fits=true
    end
  end
end
local function stand(hits)
  local still=false
  for _,h in ipairs(hits) do
    if h.role==6 then
      still=true
    elseif h.role==5 and not h.s.foreign then
      h.over=not step(h.s,h,false)
      still=still or h.over
    end
  end
  for _,h in ipairs(hits) do
    if h.role>4 and still and not h.over then h.cost,h.units,h.still=0,0,true end
  end
end
local function decide(hits)
  local enforcing,saved={},{}
  for _,h in ipairs(hits) do
    h.s=state(h)
    if h.s.foreign then put(h,FOREIGN,0)
    else
      keep(saved,h.s)
      if h.role==1 then enforcing[#enforcing+1]=h end
    end
  end
  stand(hits)
  local passed=true
  if #enforcing>1 then
    local refunded={}
    for _,h in ipairs(enforcing) do
      local fits,a,b=true
      if h.op==2 then
        refunded[h.s]=true
      elseif refunded[h.s] then
        h.late=true
      else
        fits,a,b=step(h.s,h,false)
        put(h,a,b)
      end
      h.fits=fits
      passed=passed and fits
    end
    if not passed then
      refund(enforcing)
      for _,h in ipairs(enforcing) do
        if h.late then
          local a,b
          h.fits,a,b=step(h.s,h,false)
          put(h,a,b)
        end
      end
    end
  end
  local tested=passed
  if passed then
    for i,h in ipairs(enforcing) do
      local fits,a,b=step(h.s,h,true)
      put(h,a,b)
      h.fits=fits
      if not fits then
        passed=false
        restore(saved)
        for j=1,i-1 do enforcing[j].fits=true end
        for j=i+1,#enforcing do
          local after=enforcing[j]
          after.fits,a,b=step(after.s,after,false)
          put(after,a,b)
        end
        break
      end
    end
  end
  if not passed then
    if tested then refund(enforcing) end
    for _,h in ipairs(enforcing) do
      if h.fits~=false then put(h,look(h.s,h)) end
    end
  end
  local soft,denied=0,0
  for _,h in ipairs(hits) do
    if h.role~=1 and not h.s.foreign then
      local counts=h.role==0 or h.role>4 or ((h.role==2 or h.role==4) and (passed or h.op==2))
      local fits,a,b=step(h.s,h,counts)
      put(h,a,b)
      h.fits=fits
      if h.role==4 then
        soft=soft+1
        if not fits then denied=denied+1 end
      end
    end
  end
  if passed and soft>0 and soft==denied then
    restore(saved)
    refund(hits)
    for _,h in ipairs(hits) do
      if h.fits~=false and not h.s.foreign then put(h,look(h.s,h)) end
    end
  end
  for _,h in ipairs(hits) do
    local s=h.s
    if s.dirty and not s.listed then s.listed=true order[#order+1]=h.key end
  end
end
local k,a,at,hits=1,2,2,{}
while a<=#ARGV do
  local kind,op,role,flags,cost,limit,window,shift,life,charged,units,epoch,eshift=
    unpack('<BBBBddddddddd',ARGV[a])
  local h={kind=kind,op=op,role=role,cost=cost,limit=limit,window=window,shift=shift,life=life,
    charged=charged,units=units,epoch=epoch,eshift=eshift,key=KEYS[k],at=at}
  k,a,at=k+1,a+1,at+3
  if flags>=2 then
    h.old={key=KEYS[k],arg=ARGV[a]}
    k,a=k+1,a+1
  end
  hits[#hits+1]=h
  if flags%2==1 then
    decide(hits)
    hits={}
  end
end
for _,key in ipairs(order) do
  local s=states[key]
  local h=s.h
  if s.dirty then
    local packed,life=nil,h.life
    if h.kind==0 then
      if s[1]~=0 then packed=pack('<d',s[1]) end
    elseif h.kind==2 then
      if s[2]~=0 or s[4]~=0 then packed=pack('<dddd',s[1],s[2],s[3],s[4]) end
    elseif s[2]~=0 then
      packed=pack('<dd',s[1],s[2])
    end
    if h.epoch>0 then
      packed=packed or pack(FORMATS[h.kind],0,0,0,0)
      packed=packed..pack('<ddd',s.e[1],s.e[2],s.e[3])
      life=max(life,120)
    end
    if packed then call('SET',key,packed,'EX',life) else call('DEL',key) end
    if s.old then call('DEL',s.old) end
  end
end
return out
)lua";

}  // namespace weir::redis
