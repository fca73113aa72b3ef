#include "redis/script_texts.h"

namespace weir::redis {

// Products in the sliding window pass 2^53, where doubles are no longer exact.  Where two of them
// are too close to tell apart, they are compared again in two halves.  math.fmod, because Lua 5.1's
// own % rounds its quotient.
//
// A string may be 24 bytes longer than its numbers: another instance keeps epochs in it.  Each
// script is whole in itself: a store cannot share functions between scripts.

const std::string_view kTokenBucketText = R"lua(#!lua
local call,pcall,unpack,pack=redis.call,redis.pcall,struct.unpack,struct.pack
local t=call('TIME')
local now=(t[1]-1735689600)*16000000+t[2]*16
if ARGV[1]~='' then now=tonumber(ARGV[1]) end
local out={now}
for i=1,#KEYS do
  local key=KEYS[i]
  local cost,room,life=unpack('<ddd',ARGV[i+1])
  local raw=pcall('GET',key)
  local debt=0
  if raw then
    if #raw%24==8 then
      debt=unpack('<d',raw)-now
      if not (debt>0) then debt=0 elseif debt>room then debt=room end
    else
      debt=nil
    end
  end
  if not debt then
    out[i+1]=-9007199254740992
  elseif cost==0 then
    out[i+1]=debt
  else
    local after=debt+cost
    if after>room then
      out[i+1]=-1-debt
    else
      call('SET',key,pack('<d',now+after),'EX',life)
      out[i+1]=after
    end
  end
end
return out
)lua";

const std::string_view kFixedWindowText = R"lua(#!lua
local call,pcall,unpack,pack=redis.call,redis.pcall,struct.unpack,struct.pack
local t=call('TIME')
local now=(t[1]-1735689600)*16000000+t[2]*16
if ARGV[1]~='' then now=tonumber(ARGV[1]) end
local out={now}
for i=1,#KEYS do
  local key=KEYS[i]
  local cost,limit,window,shift,life=unpack('<ddddd',ARGV[i+1])
  local start=now-math.fmod(now+shift,window)
  local raw=pcall('GET',key)
  local count=0
  if raw then
    if #raw%24==16 then
      local at,n=unpack('<dd',raw)
      if at==start then count=n end
    else
      count=nil
    end
  end
  if not count then
    out[i+1]=-9007199254740992
  elseif cost==0 then
    out[i+1]=count
  elseif count+cost>limit then
    out[i+1]=-1-count
  else
    call('SET',key,pack('<dd',start,count+cost),'EX',life)
    out[i+1]=count+cost
  end
end
return out
)lua";

const std::string_view kSlidingWindowText = R"lua(#!lua
local call,pcall,unpack,pack=redis.call,redis.pcall,struct.unpack,struct.pack
local fmod=math.fmod
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
local t=call('TIME')
local now=(t[1]-1735689600)*16000000+t[2]*16
if ARGV[1]~='' then now=tonumber(ARGV[1]) end
local out={now}
for i=1,#KEYS do
  local key=KEYS[i]
  local cost,limit,window,shift,life=unpack('<ddddd',ARGV[i+1])
  local into=fmod(now+shift,2*window)
  local odd=into>=window
  if odd then into=into-window end
  local start=now-into
  local raw=pcall('GET',key)
  local s0,c0,s1,c1=0,0,0,0
  local ok=true
  if raw then
    if #raw==32 or #raw==56 then s0,c0,s1,c1=unpack('<dddd',raw) else ok=false end
  end
  local current,previous=0,0
  if odd then
    if s1==start then current=c1 end
    if s0==start-window then previous=c0 end
  else
    if s0==start then current=c0 end
    if s1==start-window then previous=c1 end
  end
  out[2*i+1]=previous
  if not ok then
    out[2*i]=-9007199254740992
  elseif cost==0 then
    out[2*i]=current
  elseif current+cost>limit or not atmost(previous,window-into,limit-cost-current,window) then
    out[2*i]=-1-current
  else
    current=current+cost
    if odd then s1,c1=start,current else s0,c0=start,current end
    call('SET',key,pack('<dddd',s0,c0,s1,c1),'EX',life)
    out[2*i]=current
  end
end
return out
)lua";

// ARGV: what to add, which may be negative, and where to stop, or -1.  Answers the count.
const std::string_view kPlainText = R"lua(#!lua
local count=tonumber(redis.call('GET',KEYS[1]) or '0')
local add,most=tonumber(ARGV[1]),tonumber(ARGV[2])
local after=math.max(count+add,math.min(count,0))
if most>=0 then after=math.max(count,math.min(after,most)) end
if after<0 then after=0 end
if after==count then return count end
return redis.call('INCRBY',KEYS[1],string.format('%.0f',after-count))
)lua";

// TIME alone would be answered by a store that can count nothing; the shebang makes this refused
// like a write.
const std::string_view kProbeText = R"lua(#!lua
local t=redis.call('TIME')
return {(t[1]-1735689600)*16000000+t[2]*16}
)lua";

}  // namespace weir::redis
